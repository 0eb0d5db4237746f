import { Button, Group, Select, Stack, Tabs, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CatalogOperation } from '../../../wire/soap/catalogSchema.ts';
import type { Service } from '../../api/answers.ts';
import type { SoapAnswer } from '../../api/soap.ts';
import { readNamespace, sendSoap, soapAddress } from '../../api/soap.ts';
import { Panel } from '../../parts/layout/Panel.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { Resource } from '../../parts/layout/Resource.tsx';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { StateLabel } from '../../parts/text/StateLabel.tsx';
import { duration } from '../../parts/text/Time.tsx';
import { TokenField } from './TokenField.tsx';
import { samplesOf } from './samples.ts';
import { formatXml, servicesIn } from './soapAnswer.ts';
import type { SoapCall } from './soapCall.ts';
import { SOAP_OPERATIONS, envelopeOf, hasFolder } from './soapCall.ts';
import { numberText } from '../../parts/text/locale.ts';

function isOperation(name: string | null): name is CatalogOperation {
  return name !== null && Object.hasOwn(SOAP_OPERATIONS, name);
}

interface CodeProps {
  readonly title: string;
  /** Undefined if there is none yet. */
  readonly text: string | undefined;
  readonly what: string;
  readonly placeholder?: string;
}

/** A text in a box that can be copied. */
function Code({ title, text, what, placeholder }: CodeProps) {
  return (
    <div>
      <Group justify="space-between" mb={4} mih={22}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {text !== undefined && <CopyText text={text} what={what} isShown={false} />}
      </Group>
      <pre className="block code" role="region" tabIndex={0} aria-label={title}>
        {text ?? <span className="muted">{placeholder}</span>}
      </pre>
    </div>
  );
}

function whyMissing({ state, access }: Service, hadToken: boolean): string {
  if (state === 'stopped') return 'This service is not among them: it is stopped.';
  if (access === 'private' && !hadToken)
    return 'This service is not among them: it is private, and the request had no token. Get a token, and send it again.';
  return 'This service is not among them.';
}

interface OutcomeProps {
  readonly answer: SoapAnswer;
  readonly service: Service;
  readonly hadToken: boolean;
}

function Outcome({ answer, service, hadToken }: OutcomeProps) {
  const isGood = answer.status === 200;
  const found = servicesIn(answer.text, service.url);
  return (
    <Group gap="xs" aria-live="polite">
      <StateLabel tone={isGood ? 'good' : 'bad'} text={`Status ${answer.status}`} />
      <Text size="sm" className="muted">
        {duration(answer.durationMs)}
        {found !== undefined && `. Services: ${numberText(found.count)}. `}
        {found !== undefined && (found.hasService ? 'This service is among them.' : whyMissing(service, hadToken))}
      </Text>
    </Group>
  );
}

interface ControlsProps {
  readonly call: SoapCall;
  readonly onOperation: (operation: CatalogOperation) => void;
  readonly onFolder: (folder: string) => void;
  readonly token: string;
  readonly onToken: (token: string) => void;
  readonly onSend: () => void;
  readonly isBusy: boolean;
}

function Controls({ call, onOperation, onFolder, token, onToken, onSend, isBusy }: ControlsProps) {
  return (
    <Group align="flex-end" gap="xs">
      <Select
        label="Operation"
        w={310}
        maw="100%"
        data={Object.entries(SOAP_OPERATIONS).map(([value, text]) => ({ value, label: `${value}: ${text}` }))}
        value={call.operation}
        onChange={(value) => isOperation(value) && onOperation(value)}
      />
      {hasFolder(call) && (
        <TextInput
          label="Folder (empty for the root)"
          w={200}
          value={call.folderName}
          onChange={({ currentTarget }) => onFolder(currentTarget.value)}
        />
      )}
      <TokenField value={token} onChange={onToken} />
      <Button size="sm" leftSection={<Icon name="send" size={14} />} onClick={onSend} loading={isBusy}>
        Send
      </Button>
    </Group>
  );
}

function Samples({ call }: { readonly call: SoapCall }) {
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List>
        {samplesOf(call).map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samplesOf(call).map(({ name, text }) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <Code title={`The same request with ${name}`} text={text} what={`the request with ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Exchange({ service, namespace }: { readonly service: Service; readonly namespace: string }) {
  const [operation, setOperation] = useState<CatalogOperation>('GetServiceDescriptionsEx');
  const [folderName, setFolder] = useState(service.folderName);
  const [token, setToken] = useState('');
  const send = useMutation<SoapAnswer, Error, string>({ mutationFn: (given) => sendSoap(envelope, given) });
  const call: SoapCall = { operation, folderName, namespace, address: soapAddress(), hasToken: token !== '' };
  const envelope = envelopeOf(call);
  return (
    <Stack gap="md">
      <Text size="sm" className="muted" maw={720}>
        Your browser sends this request to <code>/services</code> without your session, as any other client. Without a
        token, the answer has the running, public services only.
      </Text>
      <Controls
        call={call}
        onOperation={setOperation}
        onFolder={setFolder}
        token={token}
        onToken={setToken}
        onSend={() => send.mutate(token)}
        isBusy={send.isPending}
      />
      {send.error !== null && <Problem error={send.error} />}
      <div className="tryIt">
        <Code title="Request" text={envelope} what="the request" />
        <Code
          title="Answer"
          text={send.data === undefined ? undefined : formatXml(send.data.text)}
          what="the answer"
          placeholder="Send the request to see the answer here."
        />
      </div>
      <div className="outcome">
        {send.data !== undefined && <Outcome answer={send.data} service={service} hadToken={send.variables !== ''} />}
      </div>
      <Samples call={call} />
    </Stack>
  );
}

/** Sends a request to the SOAP interface, and gives it for other languages. */
export function TryIt({ service }: { readonly service: Service }) {
  const namespace = useQuery({
    queryKey: ['soapNamespace'],
    queryFn: ({ signal }) => readNamespace(signal),
    staleTime: Infinity,
  });
  return (
    <Panel title="Try it">
      <Resource of={namespace} lines={8}>
        {(found) => <Exchange service={service} namespace={found} />}
      </Resource>
    </Panel>
  );
}
