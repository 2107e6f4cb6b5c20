/** Read models: projections, the projector that writes their tables, and the database that queries read. */

export { ReadModelError, RowConflictError } from "./errors.ts";
export { UnknownEventTypeError } from "./projector/materialisation.ts";
export { handling, ignoring } from "./ignoring.ts";
export type { AnyProjection, Handler, Handlers, ProjectedEvent, Projection } from "./projection.ts";
export type { RowWriter } from "./row-writer.port.ts";
export {
  table,
  type ColumnKind,
  type Columns,
  type IndexDefinition,
  type NewRow,
  type Row,
  type RowChanges,
  type RowKey,
  type Schema,
  type TableDefinition,
  type TableDefinitions,
} from "./tables.ts";
export { openReadModels, type ReadModelLocation, type ReadModelOptions } from "./read-models.ts";
export type { ReadModelDatabase } from "./read-model-database.ts";
export { tablesOf } from "./readonly-kysely.codec.ts";
export type { Builds } from "./storage/migrations.ts";
export type { ProjectionStorage } from "./storage/storage.port.ts";
export type { ParameterOf, PreparedQuery } from "./prepared-query.ts";
export type { ProjectionHealth, ProjectionState } from "./projector/projection-slot.ts";
export { createProjector } from "./projector/create-projector.ts";
export type {
  ProjectionStatus,
  Projector,
  ProjectorLogger,
  ProjectorOptions,
} from "./projector/projector.ts";
export type { StoppedStream, StoredStop } from "./storage/stopped-streams.ts";
export type { RebuildReport } from "./projector/rebuild.ts";
export { unreadableCauseOf } from "./projector/unreadable-cause.ts";
export { createReadAfter, type ReadAfter, type ReadAfterOptions } from "./read-after.ts";
export { onceReady } from "./projector/once-ready.ts";
