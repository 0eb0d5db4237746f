import { Group } from '@mantine/core';
import icon from '../../icon.svg';

export function Logo() {
  return (
    <Group gap={8}>
      <img src={icon} width={22} height={22} alt="" />
      <strong>Steward</strong>
    </Group>
  );
}
