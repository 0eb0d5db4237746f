import { api } from '../../api/operations.ts';
import { useResource } from '../../api/queries.ts';
import { SERVER } from '../../api/server.ts';
import { boxOf } from './demoBox.ts';

/** The box of the demo receiver that an address leads to, if there is one. */
export function useDemoBox(hookUrl: string): string | undefined {
  const receiver = useResource(api.demoReceiver.receiver, { isEnabled: SERVER.isDemo });
  return receiver.data === undefined ? undefined : boxOf(hookUrl, receiver.data.url);
}
