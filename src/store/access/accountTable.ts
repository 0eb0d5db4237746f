import { USER } from '../../model/entity/user.ts';
import { columnsOf } from '../engine/entityColumns.ts';
import { integer, text } from '../engine/codec.ts';
import { table } from '../engine/table.ts';

export const accounts = table('account', {
  username: text('username'),
  ...columnsOf(USER),
  passwordHash: text('password_hash'),
  created: integer('created_at'),
  modified: integer('modified_at'),
});
