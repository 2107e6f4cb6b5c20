/** What specs of projections need. */

export {
  projectionSpec,
  type ExpectedRows,
  type GivenEvent,
  type ProjectionSpec,
} from "./projection-spec.ts";
