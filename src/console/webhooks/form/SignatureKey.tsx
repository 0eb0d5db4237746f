import { Alert, Group, Stack, Tabs, Text } from '@mantine/core';
import { CopyText } from '../../parts/text/CopyText.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { VERIFIERS } from './verifiers.ts';

function Verifiers() {
  return (
    <Tabs defaultValue="Node" keepMounted={false}>
      <Tabs.List aria-label="Language of the verifier">
        {VERIFIERS.map(({ language }) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {VERIFIERS.map(({ language, use, code }) => (
        <Tabs.Panel key={language} value={language} pt="xs">
          <Group justify="space-between" wrap="nowrap" gap="xs" mb={4}>
            <Text size="xs" className="muted">
              {use}
            </Text>
            <CopyText text={code} what={`the ${language} code`} isShown={false} />
          </Group>
          <pre className="block code">{code}</pre>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

export interface SignatureKeyProps {
  readonly signatureKey: string;
  readonly contentType: string;
  readonly isRotated?: boolean;
}

/** A signature key, which the server sends only once, with code that verifies deliveries. */
export function SignatureKey({ signatureKey, contentType, isRotated = false }: SignatureKeyProps) {
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<Icon name="key" />} title="Copy this key now. It is not shown again.">
        <CopyText text={signatureKey} what="the signature key" />
        {isRotated && (
          <Text size="sm" mt={4}>
            For one day, deliveries have a signature with this key and one with the old key.
          </Text>
        )}
      </Alert>
      <Text size="sm">
        Give it to the receiver as a secret, and verify each delivery with it. The signature covers the raw body
        {contentType === 'application/json' ? '.' : ', here the whole form payload=…'}
      </Text>
      <Verifiers />
    </Stack>
  );
}
