import { List, Text } from '@mantine/core';
import { ServerText } from '../../api/ServerText.tsx';

const MOST = 8;

/** What a version has left out, each container with the reason. */
export function LeftOut({ parts }: { readonly parts: readonly string[] | undefined }) {
  if (parts === undefined) return undefined;
  return (
    <>
      <Text size="sm" mt={4}>
        Not complete:
      </Text>
      <List size="sm">
        {parts.slice(0, MOST).map((part) => (
          <List.Item key={part}>
            <ServerText text={part} />
          </List.Item>
        ))}
        {parts.length > MOST && <List.Item>and {parts.length - MOST} more</List.Item>}
      </List>
    </>
  );
}
