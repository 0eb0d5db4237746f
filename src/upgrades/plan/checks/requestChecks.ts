import { volumeProblems } from '../../../model/volume.ts';
import type { CheckInput, Verdict } from './check.ts';
import { fail, pass } from './check.ts';

/** The required settings are there. */
export function checkSettings({ request }: CheckInput): Verdict | undefined {
  if (request === undefined) return undefined;
  const { missingSettings } = request;
  return missingSettings.length === 0
    ? pass('The settings are complete.')
    : fail(
        missingSettings.join(' '),
        'Get the settings with getUpgradeSettings, fill them in and send them. Send {} if no setting is required.',
      );
}

/** The licence is there if the version needs one, and is valid. */
export function checkLicence({ request }: CheckInput): Verdict | undefined {
  if (request === undefined) return undefined;
  const { kind, problems, todo } = request.licence;
  if (problems.length > 0) return fail(problems.join(' '), todo, { action: 'uploadLicence', parameters: {} });
  return pass(kind === 'given' ? 'The licence is valid.' : 'No licence is needed.');
}

/** The deployment can create and expand the volumes as requested. */
export function checkVolumes({ plan, inventory }: CheckInput): Verdict {
  const step = plan.steps.find((one) => one.kind === 'volumes');
  if (step === undefined) return pass('No volume is created or expanded.');
  const problems = volumeProblems(step.volumes, inventory.volumes);
  return problems.length === 0
    ? pass(`These volumes can be created or expanded: ${Object.keys(step.volumes).join(', ')}.`)
    : fail(
        `volumesConfig cannot be applied: ${problems.join('; ')}.`,
        'Correct volumesConfig: a new volume needs a size, a size cannot be reduced, and a storage class cannot be changed.',
      );
}
