import { Button } from '@mantine/core';
import { useOperation } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import type { WebhookKey } from '../webhookResource.ts';
import { webhookPath } from '../webhookResource.ts';

/** Activates a webhook, and sends or drops its held deliveries. */
export function ActivateButtons({ of, held }: { readonly of: WebhookKey; readonly held: number }) {
  const activate = useOperation(`${webhookPath(of)}/activate`, {
    done: 'The webhook is active. Its failure window is empty.',
  });
  const count = `${held.toLocaleString()} held ${held === 1 ? 'delivery' : 'deliveries'}`;
  return (
    <>
      <Button
        onClick={() => activate.mutate({ pending: 'release' })}
        loading={activate.isPending}
        leftSection={<Icon name="play" size={14} />}
      >
        {held === 0 ? 'Activate' : `Activate and send ${held.toLocaleString()} held`}
      </Button>
      {held > 0 && (
        <ConfirmButton
          title={`Drop ${count}?`}
          text="The webhook becomes active, and its held deliveries are discarded. They stay in the log, and each can be sent again from there."
          onConfirm={() => activate.mutate({ pending: 'discard' })}
          disabled={activate.isPending}
        >
          Activate and discard them
        </ConfirmButton>
      )}
    </>
  );
}
