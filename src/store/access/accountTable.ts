import { ROLES } from '../../model/actor.ts';
import { integer, oneOf, text } from '../engine/codec.ts';
import { table } from '../engine/table.ts';

export const accounts = table('account', {
  username: text('username'),
  fullName: text('full_name'),
  role: oneOf('role', ROLES),
  passwordHash: text('password_hash'),
  created: integer('created_at'),
  modified: integer('modified_at'),
});
