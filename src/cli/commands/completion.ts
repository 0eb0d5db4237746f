// Completion scripts. The shell asks for nothing at run time: the script contains all words.
import type { Command } from 'commander';
import { CommandFailure } from '../remote/exitCodes.ts';

interface CompletedCommand {
  /** The words before, such as "catalog". */
  readonly path: string;
  readonly words: readonly string[];
}

function flagsOf(command: Command): readonly string[] {
  return ['--help', ...command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))];
}

function completed(command: Command, path: string): readonly CompletedCommand[] {
  const words = [...command.commands.map((one) => one.name()), ...flagsOf(command)];
  const below = command.commands.flatMap((one) => completed(one, path === '' ? one.name() : `${path} ${one.name()}`));
  return [{ path, words }, ...below];
}

const FUNCTION = (cases: string): string => `_steward_words() {
  case "$1" in
${cases}
  esac
}`;

function casesOf(program: Command): string {
  return completed(program, '')
    .map(({ path, words }) => `    "${path}") echo "${words.join(' ')}" ;;`)
    .join('\n');
}

/** Words that begin with a letter select the command; flags and their values do not. */
function bash(program: Command): string {
  return `# Completion of steward for bash.
${FUNCTION(casesOf(program))}
_steward() {
  local path="" word next
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    [ -n "$(_steward_words "$next")" ] && path="$next"
  done
  mapfile -t COMPREPLY < <(compgen -W "$(_steward_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}")
  [ \${#COMPREPLY[@]} -gt 0 ] || mapfile -t COMPREPLY < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -F _steward steward
`;
}

function zsh(program: Command): string {
  return `#compdef steward
# Completion of steward for zsh.
${FUNCTION(casesOf(program))}
_steward() {
  local path_="" word next
  for word in "\${words[@]:1:$((CURRENT-2))}"; do
    next="\${path_:+$path_ }$word"
    [ -n "$(_steward_words "$next")" ] && path_="$next"
  done
  compadd -- \${=$(_steward_words "$path_")} || _files
}
compdef _steward steward
`;
}

function fish(program: Command): string {
  const lines = completed(program, '').flatMap(({ path, words }) => {
    const seen = path.split(' ').filter((word) => word !== '');
    const condition =
      seen.length === 0
        ? '__fish_use_subcommand'
        : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const [flags, names] = [
      words.filter((word) => word.startsWith('--')),
      words.filter((word) => !word.startsWith('--')),
    ];
    return [
      ...(names.length === 0 ? [] : [`complete -c steward -n '${condition}' -f -a '${names.join(' ')}'`]),
      ...flags.map((flag) => `complete -c steward -n '${condition}' -l ${flag.slice(2)}`),
    ];
  });
  return `# Completion of steward for fish.\n${lines.join('\n')}\n`;
}

export function completionScript(shell: string, program: Command): string {
  switch (shell) {
    case 'bash':
      return bash(program);
    case 'zsh':
      return zsh(program);
    case 'fish':
      return fish(program);
    default:
      throw new CommandFailure('usage', `<shell> must be bash, zsh or fish, not "${shell}".`);
  }
}
