import type { Agent, Dispatcher } from 'undici';

/**
 * Sends with an agent that is replaced when it is old, so that no connection is used for longer: a name may lead to another address by then.
 * The former agent finishes its requests.
 */
export function createRotatingAgent(create: () => Agent, maxAgeMs: number, now = (): number => performance.now()) {
  const agents = new Set<Agent>();
  let current: { readonly agent: Agent; readonly since: number } | undefined;

  function retire(agent: Agent): void {
    const forget = (): void => void agents.delete(agent);
    // It rejects if the driver is closed first.
    agent.close().then(forget, forget);
  }

  function agentNow(): Agent {
    if (current !== undefined && now() - current.since < maxAgeMs) return current.agent;
    if (current !== undefined) retire(current.agent);
    current = { agent: create(), since: now() };
    agents.add(current.agent);
    return current.agent;
  }

  return {
    dispatch: (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean =>
      agentNow().dispatch(request, handler),
    async destroy(): Promise<void> {
      await Promise.all([...agents].map((agent) => agent.destroy()));
    },
  };
}
