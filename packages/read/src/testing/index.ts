export {
  projectionSpec,
  type ExpectedRows,
  type GivenEvent,
  type ProjectionSpec,
} from "./projection-spec.ts";
export {
  emptyLocation,
  newDatabase,
  postgresForTests,
  testLocation,
  testsRunOnPostgres,
} from "./test-location.ts";
export { InMemoryEventStore } from "./in-memory-event-store.ts";
