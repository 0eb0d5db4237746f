import { Select } from '@mantine/core';
import { ROLES } from '../../../model/actor.ts';
import type { Role } from '../../api/answers.ts';

const RIGHTS: Readonly<Record<Role, string>> = {
  viewer: 'reads the catalog',
  publisher: 'publishes services, manages webhooks',
  administrator: 'may do everything',
};

export interface RoleSelectProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

export function RoleSelect({ value, onChange }: RoleSelectProps) {
  return (
    <Select
      label="Role"
      data={ROLES.map((role) => ({ value: role, label: `${role}: ${RIGHTS[role]}` }))}
      value={value}
      onChange={(chosen) => {
        const role = ROLES.find((one) => one === chosen);
        if (role !== undefined) onChange(role);
      }}
    />
  );
}
