import { StateLabel } from '../parts/text/StateLabel.tsx';
import type { ListedService } from './answers.ts';

export function ServiceState({ state }: { readonly state: ListedService['state'] }) {
  return state === 'running' ? (
    <StateLabel tone="good" icon="play" text="Running" />
  ) : (
    <StateLabel tone="calm" icon="stop" text="Stopped" />
  );
}

export function ServiceAccess({ access }: { readonly access: ListedService['access'] }) {
  return access === 'public' ? (
    <StateLabel tone="calm" icon="globe" text="Public" />
  ) : (
    <StateLabel tone="calm" icon="lock" text="Private" />
  );
}
