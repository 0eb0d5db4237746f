// A model of a pair of PostgreSQL servers: roles, access, sessions, promotions that are pending, and what was written. Commands
// behave as those of deploy/database-command.sh.
import type { CommandCall } from '../../../../src/drivers/database/command.ts';
import { CommandFailure } from '../../../../src/drivers/database/command.ts';
import type { InstanceState } from '../../../../src/drivers/database/instance.ts';
import type { Random } from './network.ts';

interface ModelServer {
  readonly name: string;
  role: 'primary' | 'standby';
  isOpen: boolean;
  /** Does not answer SQL, and its processes stand still. */
  isFrozen: boolean;
  /** The server that it follows as a standby. */
  follows: string | undefined;
  /** The number of the last command. */
  fence: number;
  isPromotionPending: boolean;
  /** How likely a pending promotion is completed in a step. */
  promotionChance: number;
  /** The sessions of promotions, with their numbers. */
  sessions: ReadonlyMap<number, number>;
  /** The writes and the changes of timelines that it has. */
  log: readonly string[];
}

export const SILENT: InstanceState = { kind: 'down', how: 'silent', reason: 'timeout expired' };

function isPrefix(log: readonly string[], of: readonly string[]): boolean {
  return log.length <= of.length && log.every((entry, n) => of[n] === entry);
}

function restart(server: ModelServer): void {
  server.sessions = new Map();
  server.isPromotionPending = false;
}

function makeServer(name: string): ModelServer {
  return {
    name,
    role: name === 'a' ? 'primary' : 'standby',
    isOpen: true,
    isFrozen: false,
    follows: name === 'a' ? undefined : 'a',
    fence: 0,
    isPromotionPending: false,
    promotionChance: 0,
    sessions: new Map(),
    log: [],
  };
}

export function createPairModel(random: Random) {
  const servers = [makeServer('a'), makeServer('b')] as const;
  const named = (name: string): ModelServer => (name === 'a' ? servers[0] : servers[1]);
  const acknowledged: string[] = [];
  let count = 0;

  const VERBS: Partial<Record<CommandCall['verb'], (server: ModelServer, argument: string) => void>> = {
    close: (server) => void (server.isOpen = false),
    open: (server) => void (server.isOpen = true),
    demote(server) {
      restart(server);
      server.role = 'standby';
      server.follows = undefined;
    },
    engine: restart,
    follow(server, argument) {
      restart(server);
      server.role = 'standby';
      server.follows = argument;
      if (!isPrefix(server.log, named(argument).log)) server.log = named(argument).log;
    },
    reseed(server, argument) {
      restart(server);
      server.role = 'standby';
      server.follows = argument;
      server.log = named(argument).log;
    },
  };

  /** Runs a command, if it is not older than the last one. */
  function runCommand({ verb, instance, argument = '', fence }: CommandCall): void {
    const server = named(instance);
    if (verb === 'announce') return;
    if (fence < server.fence) throw new CommandFailure('the command ended with the exit code 75', []);
    server.fence = fence;
    if (server.isFrozen && verb !== 'close' && verb !== 'open') throw new CommandFailure('pg_ctl gives up', []);
    VERBS[verb]?.(server, argument);
  }

  /** Replicates, completes promotions, and lets the client write to every server that it finds. */
  function pass(): void {
    for (const server of servers) {
      if (server.isFrozen) continue;
      const ahead = server.role === 'standby' && server.follows !== undefined ? named(server.follows) : undefined;
      if (ahead?.isFrozen === false && random() < 0.5 && isPrefix(server.log, ahead.log)) server.log = ahead.log;
      if (server.isPromotionPending && random() < server.promotionChance) {
        server.isPromotionPending = false;
        server.role = 'primary';
        server.log = [...server.log, `timeline ${(count += 1)}`];
      }
      if (server.role !== 'primary' || !server.isOpen || random() < 0.7) continue;
      const write = `write ${(count += 1)}`;
      server.log = [...server.log, write];
      acknowledged.push(write);
    }
  }

  function facts(name: string): InstanceState {
    const server = named(name);
    if (server.isFrozen) return SILENT;
    const streams = servers.some(
      (other) =>
        other.role === 'standby' && other.follows === name && !other.isFrozen && isPrefix(other.log, server.log),
    );
    return {
      kind: 'up',
      isInRecovery: server.role === 'standby',
      systemId: '1',
      position: BigInt(server.log.length),
      version: '15',
      streamingStandbys: streams ? 1 : 0,
      sessions: [],
    };
  }

  return {
    servers,
    named,
    runCommand,
    pass,
    facts,
    acknowledged,

    answer(name: string): ModelServer {
      const server = named(name);
      if (server.isFrozen) throw new Error('timeout expired');
      return server;
    },

    openSession(name: string, number: number): number {
      const id = (count += 1);
      const server = this.answer(name);
      server.sessions = new Map([...server.sessions, [id, number]]);
      return id;
    },

    /** In a session that has been ended, or in another one, the statement does nothing. */
    promoteIn(name: string, session: number): void {
      const server = this.answer(name);
      if (!server.sessions.has(session)) throw new Error('Connection terminated');
      if (server.role === 'primary') throw new Error('recovery is not in progress');
      server.isPromotionPending = true;
      server.promotionChance = random() < 0.3 ? 0.005 : 0.3;
    },

    endPromotions(name: string, below: number): number {
      const server = this.answer(name);
      const ended = [...server.sessions].filter(([, number]) => number < below);
      server.sessions = new Map([...server.sessions].filter(([, number]) => number >= below));
      return ended.length;
    },

    /** What is wrong now; undefined if nothing is. */
    violation(): string | undefined {
      const open = servers.filter(({ role, isOpen }) => role === 'primary' && isOpen);
      return open.length > 1 ? 'two servers accept writes' : undefined;
    },

    /** What is wrong at the end, when nothing is under way any more. */
    unhealthy(): string | undefined {
      const primary = servers.find(({ role, isOpen }) => role === 'primary' && isOpen);
      if (primary === undefined) return 'no server accepts writes';
      const lost = acknowledged.filter((write) => !primary.log.includes(write));
      if (lost.length > 0) return `${primary.name} has lost ${lost.length} of ${acknowledged.length} writes`;
      const standby = servers.find((one) => one !== primary);
      if (standby?.role !== 'standby' || standby.follows !== primary.name) return 'the standby does not follow';
      if (!isPrefix(standby.log, primary.log)) return 'the standby has another history';
      return standby.isOpen ? undefined : 'the standby is closed';
    },
  };
}

export type PairModel = ReturnType<typeof createPairModel>;
