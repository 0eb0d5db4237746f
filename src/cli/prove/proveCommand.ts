import type { Command } from 'commander';
import { EXIT } from '../remote/exitCodes.ts';
import type { ProveFlags } from './prove.ts';

/** Adds the command. `end` gets its exit code. */
export function addProve(program: Command, end: (code: number) => void): void {
  program
    .command('prove')
    .description('test the promises on this machine: kill and freeze replicas under load, and count what is lost')
    .argument('[what]', 'deliveries or upgrades (of a simulated deployment)', 'deliveries')
    .option('--seconds <n>', 'how long; default 180')
    .option('--store <address>', 'the postgres:// address of an empty database; default: the embedded store')
    .option('--replicas <n>', 'how many replicas, with PostgreSQL; default 3')
    .option('--restart-database <command>', 'a command that restarts the database, to include that')
    .option(
      '--max-stall <seconds>',
      'the longest time without progress while a replica can work; default 5, for upgrades 20',
    )
    .option('--seed <n>', 'repeat the choices of an earlier run')
    .option('--report <file>', 'also write the report as JSON')
    .option('--json', 'print the report as JSON')
    .option('--quiet', 'no live score')
    .addHelpText(
      'after',
      `
It exits with 9 and names what was broken if an accepted event is lost, if more attempts are repeated than were in flight at the
faults, if a signature is wrong, if the ledger does not add up, if a job does not succeed exactly once, or if nothing goes on for
longer than --max-stall. The time in which a fault leaves no replica that can work does not count.

Example:
  steward prove --seconds 60
  steward prove upgrades --store postgres://localhost/empty --seed 42`,
    )
    .action(async (what: string, flags: ProveFlags) => {
      const { prove } = await import('./prove.ts');
      const { processStreams } = await import('../remote/processStreams.ts');
      end(EXIT[await prove(what, flags, processStreams())].code);
    });
}
