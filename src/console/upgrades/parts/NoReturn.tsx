import { Icon } from '../../parts/text/Icon.tsx';

/** The line between what can be rolled back and what cannot. */
export function NoReturn({ text }: { readonly text?: string }) {
  return (
    <>
      <Icon name="warning" size={14} />
      <span>Point of no return{text !== undefined && <span className="muted">: {text}</span>}</span>
    </>
  );
}
