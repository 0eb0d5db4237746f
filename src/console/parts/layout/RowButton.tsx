import { Button } from '@mantine/core';

/** A button in a row of a table: it looks like text until the pointer is over it. */
export const RowButton = Button.withProps({ variant: 'subtle', color: 'gray', size: 'compact-xs' });
