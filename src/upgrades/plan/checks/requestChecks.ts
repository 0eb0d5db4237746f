import { listed } from '../../../foundation/text/listed.ts';
import { likelyName } from '../../../foundation/text/nearestName.ts';
import { volumeEffect, volumeProblems } from '../../../model/volume.ts';
import type { Inventory } from '../../../model/workload.ts';
import type { CheckInput, RequestInput, Verdict } from './check.ts';
import { fail, pass, warn } from './check.ts';

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
  if (problems.length > 0) return fail(problems.join(' '), todo, { action: 'uploadLicence', parameters: {} });
  return pass(kind === 'given' ? 'The licence is valid.' : 'No licence is needed.');
}

/** A new volume whose name is probably a typing error of an existing one, and that one. */
function likelyVolume(name: string, present: Inventory['volumes']): string | undefined {
  const names = present.map((one) => one.name);
  return names.includes(name) ? undefined : likelyName(name, names);
}

/** The deployment can create and expand the volumes as requested. Says what happens to each. */
export function checkVolumes({ plan, inventory: { volumes: present } }: CheckInput): Verdict {
  const step = plan.steps.find((one) => one.kind === 'volumes');
  if (step === undefined) return pass('No volume is created or expanded.');
  const mistyped = Object.keys(step.volumes).flatMap((name) => {
    const likely = likelyVolume(name, present);
    return likely === undefined ? [] : [`${name} does not exist; the nearest existing volume is ${likely}`];
  });
  const problems = volumeProblems(step.volumes, present);
  if (problems.length > 0)
    return fail(
      `volumesConfig cannot be applied: ${[...problems, ...mistyped].join('; ')}.`,
      'Correct volumesConfig: a new volume needs a size, a size cannot be reduced, and a storage class cannot be changed.',
    );
  const effects = Object.entries(step.volumes).map(([name, request]) =>
    volumeEffect(
      name,
      request,
      present.find((one) => one.name === name),
    ),
  );
  const text = `Volumes: ${listed([...mistyped, ...effects], '; ')}.`;
  return mistyped.length === 0
    ? pass(text)
    : warn(
        text,
        'If the existing volume is meant, correct its name in volumesConfig. Otherwise a new volume is created.',
      );
}
