/** The circles in a graph, each as its way around: `['a', 'b', 'a']`. */
export function circlesIn(edges: ReadonlyMap<string, Iterable<string>>): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) return void found.push([...trail.slice(trail.indexOf(node)), node]);
    if (done.has(node)) return;
    for (const next of edges.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of edges.keys()) visit(node, []);
  return found;
}
