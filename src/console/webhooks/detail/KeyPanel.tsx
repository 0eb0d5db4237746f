import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Webhook } from '../../api/answers.ts';
import { at } from '../../../wire/client/call.ts';
import { useOperation } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/layout/ConfirmButton.tsx';
import { Panel } from '../../parts/layout/Panel.tsx';
import { useMayChangeReceiver } from '../form/receiverRights.ts';
import { SignatureKey } from '../form/SignatureKey.tsx';
import { webhooksOf } from '../scope.ts';
import type { WebhookKey } from '../webhookResource.ts';
import { namesOf } from '../webhookResource.ts';

/** Rotates the signature key, and shows the new one once. */
export function KeyPanel({ of, webhook }: { readonly of: WebhookKey; readonly webhook: Webhook }) {
  const [key, setKey] = useState<string>();
  const mayRotate = useMayChangeReceiver(webhook.ownerId);
  const rotate = useOperation(at(webhooksOf(of.scope).rotateKey, namesOf(of)), {
    isQuiet: true,
    onDone: ({ signatureKey }) => setKey(signatureKey),
  });
  return (
    <Panel
      title="Signature key"
      aside={
        mayRotate && (
          <ConfirmButton
            title="Rotate the signature key?"
            text="For one day, deliveries are signed with both keys. Give the new key to your receiver within that day. The old key then stops to sign."
            onConfirm={() => rotate.mutateAsync({})}
          >
            Rotate
          </ConfirmButton>
        )
      }
    >
      <Stack gap="sm">
        {key === undefined ? (
          <Text size="sm" className="muted">
            {mayRotate
              ? 'Each delivery is signed with this key. It is not shown again; rotate it to get a new one.'
              : 'Each delivery is signed with this key. Its owner and administrators can rotate it.'}
          </Text>
        ) : (
          <SignatureKey signatureKey={key} contentType={webhook.contentType} isRotated />
        )}
      </Stack>
    </Panel>
  );
}
