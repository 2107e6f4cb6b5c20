export { cannotBeAsked, findsNoTable } from "./failed-queries.ts";
export { PostgresSession } from "./postgres-session.ts";
export { PostgresSessions } from "./postgres-sessions.ts";
