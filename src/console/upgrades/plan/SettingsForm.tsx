import { Button, Checkbox, FileInput, Group, JsonInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { readSettingText } from '../../../model/settingText.ts';
import { api } from '../../api/operations.ts';
import { get } from '../../api/client.ts';
import { showFailure } from '../../api/queries.ts';
import { useUpload } from '../../api/upload/useUpload.ts';
import { UploadProgress } from '../../parts/form/UploadProgress.tsx';
import { Problem } from '../../parts/layout/Problem.tsx';
import { nameInWords } from '../../parts/text/nameInWords.ts';
import type { UserInput } from '../answers.ts';
import { useIsSimulated } from '../demo/useIsSimulated.ts';

interface InputProps {
  readonly input: UserInput;
  readonly onValue: (value: unknown) => void;
}

/** A setting in words, and beside it the name that the interface gives it. */
function SettingName({ name }: { readonly name: string }) {
  return (
    <>
      {nameInWords(name)} <code className="muted">{name}</code>
    </>
  );
}

function FlagInput({ input, onValue }: InputProps) {
  return (
    <Checkbox
      label={<SettingName name={input.name} />}
      description={input.description}
      checked={input.value === true}
      onChange={({ currentTarget }) => onValue(currentTarget.checked)}
    />
  );
}

async function demoLicence(): Promise<File> {
  const licence = await get(api.demo.licence, {});
  return new File([JSON.stringify(licence)], 'demo-licence.json', { type: 'application/json' });
}

/** A file is uploaded first; the setting is the id of the upload. A simulated deployment gives a licence, too. */
function UploadInput({ input, onValue }: InputProps) {
  const { running, error, start, cancel } = useUpload();
  const [file, setFile] = useState<File | null>(null);
  const [last, setLast] = useState<File | null>(null);
  const hasDemoLicence = useIsSimulated() && input.id === 'licenseUpload' && file === null && running === undefined;
  const choose = async (chosen: File | null): Promise<void> => {
    setLast(chosen);
    const item = chosen === null ? undefined : await start(chosen);
    setFile(item === undefined ? null : chosen);
    onValue(item?.itemID ?? '');
  };
  const extensions = (input.validFileExtensions ?? []).map((one) => `.${one}`).join(',');
  return (
    <Stack gap="xs" maw={480}>
      <FileInput
        label={<SettingName name={input.name} />}
        description={input.description}
        required={input.required}
        accept={extensions}
        placeholder="Choose a file"
        value={running?.file ?? file}
        disabled={running !== undefined}
        onChange={(chosen) => void choose(chosen)}
        clearable
      />
      {hasDemoLicence && (
        <Group>
          <Button variant="default" onClick={() => void demoLicence().then(choose, showFailure)}>
            Use the demo licence
          </Button>
        </Group>
      )}
      {running !== undefined && <UploadProgress running={running} onCancel={cancel} />}
      {error !== null && <Problem error={error} {...(last !== null && { retry: () => choose(last) })} />}
    </Stack>
  );
}

function DocumentInput({ input, onValue }: InputProps) {
  const [text, setText] = useState(JSON.stringify(input.value, undefined, 2));
  const read = readSettingText(text);
  const change = (given: string): void => {
    setText(given);
    const changed = readSettingText(given);
    // The field says what is wrong; the last valid value stays.
    if (changed.kind === 'valid') onValue(changed.value);
  };
  return (
    <JsonInput
      label={<SettingName name={input.name} />}
      description={input.description}
      value={text}
      onChange={change}
      validationError="This is not JSON."
      error={read.kind === 'invalid' && read.problem !== '' && `It ${read.problem}.`}
      formatOnBlur
      autosize
      minRows={2}
      maw={480}
    />
  );
}

const INPUTS = { Boolean: FlagInput, File: UploadInput, Json: DocumentInput } as const;

export interface SettingsFormProps {
  readonly inputs: readonly UserInput[];
  readonly onChange: (inputs: readonly UserInput[]) => void;
  readonly isWithoutRestorePoint: boolean;
  readonly onRestorePoint: (isWithout: boolean) => void;
  readonly opensAfterFailure: boolean;
  readonly onOpensAfterFailure: (opens: boolean) => void;
}

/** The settings of an upgrade, as the server describes them. */
export function SettingsForm({ inputs, onChange, ...advanced }: SettingsFormProps) {
  const { isWithoutRestorePoint, onRestorePoint, opensAfterFailure, onOpensAfterFailure } = advanced;
  const change = (id: string, value: unknown): void =>
    onChange(inputs.map((one) => (one.id === id ? { ...one, value } : one)));
  return (
    <Stack gap="md">
      {inputs.map((input) => {
        const Input = INPUTS[input.type];
        return <Input key={input.id} input={input} onValue={(value) => change(input.id, value)} />;
      })}
      <Checkbox
        label="Go past the point of no return without a restore point"
        description="After that point the upgrade cannot be rolled back. Without a restore point, a failure there cannot be undone at all."
        checked={isWithoutRestorePoint}
        onChange={({ currentTarget }) => onRestorePoint(currentTarget.checked)}
      />
      <Checkbox
        label="Accept writes again if the upgrade fails past the point of no return"
        description="By default the system then stays read-only: what is written on a half-upgraded system is lost if the restore point is restored."
        checked={opensAfterFailure}
        onChange={({ currentTarget }) => onOpensAfterFailure(currentTarget.checked)}
      />
      <Text size="xs" className="muted">
        The plan below follows these settings. Nothing is changed until you start the upgrade.
      </Text>
    </Stack>
  );
}
