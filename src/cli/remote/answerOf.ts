import type { Shape, ShapeType } from '../../foundation/schema/shape.ts';

/** Types an answer by the shape that the operation declares. The server's tests check its answers against that shape. */
export function answerOf<S extends Shape>(_shape: S, answer: unknown): ShapeType<S> {
  return answer as ShapeType<S>;
}
