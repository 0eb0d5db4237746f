// A server of the pair: how the settings name it, and what a look at it shows.

/** A server of the pair, as the settings name it. */
export interface InstanceAddress {
  readonly name: string;
  /** Of a superuser, who also administers the server. */
  readonly url: string;
}

/** What a server that answers is. */
export interface InstanceFacts {
  readonly kind: 'up';
  /** Whether it replays and cannot be written to, as a standby does. */
  readonly isInRecovery: boolean;
  /** The same for a primary and its standbys. */
  readonly systemId: string;
  /** The last position that it has written, or replayed in recovery. */
  readonly position: bigint;
  readonly version: string;
  /** The standbys that stream from it. */
  readonly streamingStandbys: number;
  /** The names of its sessions. Programs that manage servers give theirs a name of their kind. */
  readonly sessions: readonly string[];
}

interface InstanceDown {
  readonly kind: 'down';
  /** `starting`: it says that it starts or stops. `refused`: nothing listens. `silent`: no answer, or another error. */
  readonly how: 'starting' | 'refused' | 'silent';
  readonly reason: string;
}

/** What a look at a server shows. */
export type InstanceState = InstanceFacts | InstanceDown;

export function isPrimary(state: InstanceState): state is InstanceFacts {
  return state.kind === 'up' && !state.isInRecovery;
}

export function isStandby(state: InstanceState): state is InstanceFacts {
  return state.kind === 'up' && state.isInRecovery;
}
