// The checks of a plan advise in words of the interface. A person at a terminal needs those of the command line.

/** What a check says, and what it is called here. A text that is not listed stays as the server wrote it. */
export const COMMAND_WORDS: readonly (readonly [said: string, here: string])[] = [
  [
    'Upload the licence at uploads/upload and send the itemID of the response as licenseUpload.',
    'Name the licence file with --license FILE.',
  ],
  [
    'Send a licence that is valid for this version.',
    'Name a licence file that is valid for this version with --license FILE.',
  ],
  ['licenseUpload: ', '--license '],
  [
    'Get the settings with getUpgradeSettings, fill them in and send them. Send {} if no setting is required.',
    'steward upgrades settings VERSION lists them. Give each with --set ID=VALUE, or all with --settings FILE.',
  ],
  ['declare it with declareRestorePoint', 'declare it with steward restore-point NAME'],
  ['send withoutRestorePoint=true', 'give --without-restore-point'],
  ['withoutRestorePoint is true, so', 'Because of --without-restore-point'],
  ['Record it with adopt.', 'Record it with steward upgrades adopt VERSION.'],
  ['with adopt (force=true if', 'with steward upgrades adopt VERSION (--force if'],
];

/** Puts commands and flags in the place of operations and fields. */
export function inCommands(text: string): string {
  return COMMAND_WORDS.reduce((said, [from, to]) => said.replaceAll(from, to), text);
}
