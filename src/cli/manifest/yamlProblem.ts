/** What charts write: actions, variables and functions. Templates of other programs look the same, but are in texts of valid YAML. */
const TEMPLATE = /\{\{-?\s*(?:[.$(]|\/\*|[a-z]\w*\b)/;

/** The problem of a file that is not YAML. The parser finds fault with a template only by what stands around it. */
export function yamlProblem(text: string, problem: string): string {
  const line = text.split('\n').findIndex((one) => TEMPLATE.test(one));
  return line === -1
    ? problem
    : `contains a template that was not rendered (line ${line + 1}); give what helm template or kustomize build prints. As it is, it ${problem}`;
}
