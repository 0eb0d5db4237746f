import type { ReactNode } from 'react';
import { Component } from 'react';

export interface BoundaryProps {
  readonly children: ReactNode;
  /** Shown instead of the children after one of them has failed. */
  readonly failure: (error: Error) => ReactNode;
  /** The address of the page. At another address the children are tried again. */
  readonly path: string;
}

interface BoundaryState {
  readonly path: string;
  readonly error: Error | undefined;
}

/** Keeps a failure of its children from emptying the whole console. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { path: this.props.path, error: undefined };

  static getDerivedStateFromError(reason: unknown): Partial<BoundaryState> {
    return { error: reason instanceof Error ? reason : new Error(String(reason)) };
  }

  static getDerivedStateFromProps({ path }: BoundaryProps, before: BoundaryState): BoundaryState {
    return path === before.path ? before : { path, error: undefined };
  }

  override render(): ReactNode {
    const { children, failure } = this.props;
    return this.state.error === undefined ? children : failure(this.state.error);
  }
}
