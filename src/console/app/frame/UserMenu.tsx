import { Button, Menu, useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api } from '../../api/operations.ts';
import { isSignedOut, post } from '../../api/client.ts';
import { SESSION_KEY, showFailure } from '../../api/queries.ts';
import { Icon } from '../../parts/text/Icon.tsx';
import { useSession } from '../../api/session.ts';

const SCHEMES = [
  ['light', 'Light', 'sun'],
  ['dark', 'Dark', 'moon'],
  ['auto', 'As the system', 'globe'],
] as const;

export function UserMenu() {
  const { username, role } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const client = useQueryClient();
  const signOut = async (): Promise<void> => {
    try {
      await post(api.access.logout, {});
    } catch (error) {
      // The session goes on, so the console must not look as if it had ended.
      if (!isSignedOut(error)) {
        showFailure(error);
        return;
      }
    }
    // The session is forgotten and read again, which shows the sign-in page at once.
    await client.resetQueries({ queryKey: SESSION_KEY });
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  };
  return (
    <Menu position="bottom-end" withinPortal withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="subtle" color="gray" leftSection={<Icon name="users" />}>
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Signed in as {role}</Menu.Label>
        <Menu.Item component={Link} href="/password" leftSection={<Icon name="key" />}>
          Change password
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(([scheme, text, icon]) => (
          <Menu.Item
            key={scheme}
            onClick={() => setColorScheme(scheme)}
            leftSection={<Icon name={icon} />}
            rightSection={colorScheme === scheme ? <Icon name="check" size={14} /> : undefined}
          >
            {text}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => void signOut()} leftSection={<Icon name="out" />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
