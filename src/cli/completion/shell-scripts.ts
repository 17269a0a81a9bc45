const bash = `# Completion of kubectl-runwright for bash.
_kubectl_runwright() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :0) compopt -o default ;;
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _kubectl_runwright kubectl-runwright
`;

const zsh = `#compdef kubectl-runwright
# Completion of kubectl-runwright for zsh.
_kubectl_runwright() {
  local line
  local -a choices
  for line in "\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :0) _files; return ;;
      :*) ;;
      *) choices+=("\${\${line//:/\\\\:}/$'\\t'/:}") ;;
    esac
  done
  _describe choice choices
}
compdef _kubectl_runwright kubectl-runwright
`;

const fish = `# Completion of kubectl-runwright for fish.
function __kubectl_runwright_complete
  set -l before (commandline --tokenize --cut-at-cursor --current-process)
  set -l partial (commandline --current-token --cut-at-cursor)
  set -l lines ($before[1] __complete $before[2..-1] "$partial" 2>/dev/null)
  string match --invert --regex '^:' -- $lines
  if test "$lines[-1]" = ":0"
    __fish_complete_path "$partial"
  end
end
complete --command kubectl-runwright --no-files --arguments '(__kubectl_runwright_complete)'
`;

/** What kubectl runs to complete `kubectl runwright`, as an executable `kubectl_complete-runwright` on PATH. */
const kubectl = `#!/bin/sh
# Completion of kubectl runwright, for kubectl.
exec kubectl-runwright __complete "$@"
`;

/** What `completion SHELL` prints. */
export const shellScripts = { bash, zsh, fish, kubectl } as const;
