import { hash } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { DatabaseSync } from "node:sqlite";

import { listen } from "@hostledger/runtime/testing/listen";
import express, { type Request, type Response } from "express";

import { serveParent } from "../harness/child.ts";
import { rowServerSchema, type RowServer } from "./row-answers.ts";

/**
 * Cost of reads without services: an Express handler that looks up the key's hash in a Map, runs the domain
 * service's queries, and gives the rows to JSON.stringify.
 */
let server: Server | undefined;

serveParent(
  async (question) => {
    server = createServer(rowApp(rowServerSchema.parse(question)));
    return { port: await listen(server) };
  },
  () => server?.closeAllConnections(),
);

const count = `(select count(*) from "dns_records" where "dns_records"."domain_id" = "domains"."id") as "dns_records_count"`;
const position = `(select max("log_position") from "extension_life_cycles") as "life_cycles_position"`;

function rowApp({ database: path, apiKey, accountId, headers }: RowServer): RequestListener {
  const database = new DatabaseSync(path, { readOnly: true });
  const domainsOf = database.prepare(
    `select *, ${count}, ${position} from "domains" where "account_id" = ? and "id" > ? order by "id" limit ?`,
  );
  const domainById = database.prepare(`select *, ${position} from "domains" where "id" = ?`);
  const recordsOf = database.prepare(`select * from "dns_records" where "domain_id" = ? order by "id"`);
  const accounts = new Map([[hash("sha256", apiKey), accountId]]);

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  const answered = (read: (account: number, request: Request) => unknown) => {
    return (request: Request, response: Response): void => {
      const account = accounts.get(hash("sha256", request.headers.authorization ?? ""));
      if (account === undefined) response.sendStatus(401);
      else response.set(headers).send(JSON.stringify(read(account, request)));
    };
  };
  app.get(
    "/api/v1/domains",
    answered((account) => domainsOf.all(account, 0, 1_000)),
  );
  app.get(
    "/api/v1/domains/:id",
    answered((account, request) => {
      const row = domainById.get(Number(request.params.id));
      if (row?.account_id !== account) return undefined;
      return { ...row, dns_records: recordsOf.all(Number(row.id)) };
    }),
  );
  return app;
}
