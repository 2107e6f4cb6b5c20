import type { ProjectionStorage } from "@hostledger/read";
import type { Compilable } from "kysely";

/** Makes the table of deliveries where it is not there yet. Another process may be at it at the same moment. */
export async function createDeliveryTable(
  storage: Pick<ProjectionStorage, "compiler" | "connection" | "exclusively">,
): Promise<void> {
  const { schema } = storage.compiler;
  const text = (statement: ReturnType<typeof schema.createTable>, ...names: readonly string[]) =>
    names.reduce((table, name) => table.addColumn(name, "text", (column) => column.notNull()), statement);
  const table = text(
    schema
      .createTable("notice_deliveries")
      .ifNotExists()
      .addColumn("id", "bigint", (column) => column.primaryKey())
      .addColumn("account_id", "bigint", (column) => column.notNull())
      .addColumn("attempts", "integer", (column) => column.notNull())
      .addColumn("last_at", "text")
      .addColumn("answer", "integer")
      .addColumn("error", "text"),
    "target",
    "notice_id",
    "kind",
    "resource",
    "body",
    "status",
    "next_at",
    "tried_since",
    "created_at",
  );
  const index = (name: string, ...columns: string[]) =>
    schema.createIndex(`notice_deliveries_${name}`).ifNotExists().on("notice_deliveries").columns(columns);
  const statements: Compilable[] = [
    table,
    index("once", "notice_id", "target").unique(),
    index("due", "status", "next_at", "target"),
    index("order", "target", "resource", "status", "id"),
    index("list", "target", "id"),
    index("account", "account_id", "id"),
  ];
  await storage.exclusively(async () => {
    // If two processes create the tables, the second is refused and finds them at its first statement.
    for (const statement of statements)
      await storage.connection.rows(statement.compile()).catch(() => undefined);
  });
}
