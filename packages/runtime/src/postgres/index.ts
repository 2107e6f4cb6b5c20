export { cannotBeAsked, findsNoTable } from "./failed-queries.ts";
export { postgresSentence, shownAddress } from "./postgres-sentence.ts";
export { PostgresSession } from "./postgres-session.ts";
export { PostgresSessions } from "./postgres-sessions.ts";
