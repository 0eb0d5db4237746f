import { Button } from '@mantine/core';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Icon } from '../../parts/text/Icon.tsx';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';
import { numberText } from '../../parts/text/locale.ts';

const DONE = 'The webhook is active. Its failure window is empty.';

/** Activates a webhook, and sends or drops its held deliveries. */
export function ActivateButtons({ of, held }: { readonly of: WebhookKey; readonly held: number }) {
  const activate = at(webhooksOf(of.scope).activate, namesOf(of));
  const release = useOperation(activate, { done: DONE });
  const discard = useOperation(activate, { done: DONE, isQuiet: true });
  const count = `${numberText(held)} held ${held === 1 ? 'delivery' : 'deliveries'}`;
  return (
    <>
      <Button
        onClick={() => release.mutate({ pending: 'release' })}
        loading={release.isPending}
        leftSection={<Icon name="play" size={14} />}
      >
        {held === 0 ? 'Activate' : `Activate and send ${numberText(held)} held`}
      </Button>
      {held > 0 && (
        <ConfirmButton
          title={`Drop ${count}?`}
          text="The webhook becomes active, and its held deliveries are discarded. They stay in the log, and each can be sent again from there."
          onConfirm={() => discard.mutateAsync({ pending: 'discard' })}
          disabled={release.isPending}
        >
          Activate and discard them
        </ConfirmButton>
      )}
    </>
  );
}
