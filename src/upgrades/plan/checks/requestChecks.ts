import { volumeProblems } from '../../../model/volume.ts';
import type { CheckInput, RequestInput, Verdict } from './check.ts';
import { fail, pass } from './check.ts';

/** In a job, what the request brought is not checked again; it counts, so that plan and job count the same checks. */
function checkedBefore(versions: RequestInput['versions']): Verdict {
  return pass(versions.length === 0 ? 'A rollback needs none.' : 'Checked when the job was accepted.');
}

/** The required settings are there. */
export function checkSettings({ request, versions }: RequestInput): Verdict {
  if (request === undefined) return checkedBefore(versions);
  const { missingSettings } = request;
  return missingSettings.length === 0
    ? pass('The settings are complete.')
    : fail(
        missingSettings.join(' '),
        'Get the settings with getUpgradeSettings, fill them in and send them. Send {} if no setting is required.',
      );
}

/** The licence is there if the version needs one, and is valid. */
export function checkLicence({ request, versions }: RequestInput): Verdict {
  if (request === undefined) return checkedBefore(versions);
  const { kind, problems, todo } = request.licence;
  if (problems.length > 0) return fail(problems.join(' '), todo);
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
