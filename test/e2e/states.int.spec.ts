import { join } from "node:path";

import { markdownTable } from "@hostledger/runtime";
import { temporaryDirectory } from "@hostledger/runtime/testing";
import { afterAll, expect, it } from "vitest";

import { domainOperations, domainStates } from "../support/domain-states.ts";
import { startInstance, type Instance } from "../support/instance.ts";
import { objectOf } from "../support/matchers.ts";
import { serverOperations, serverStates } from "../support/server-states.ts";
import { openShop } from "../support/shop.ts";
import { customerAt, openCustomer, type Customer } from "../support/staff-client.ts";
import { operationsOfDocument, Held, type Operation, type State, type Subject } from "../support/states.ts";

/**
 * docs/reference/states.md: the answer of every operation in every state of a domain and a server. `vitest -u`
 * rewrites it.
 */

const directory = temporaryDirectory();
afterAll(() => {
  directory.remove();
});

const introduction = `# What a domain or a server answers in each of its states

\`test/e2e/states.int.spec.ts\` calls every operation on a domain or a server in every state, and writes these tables. A cell has the HTTP status, and
the code of a refusal (\`docs/reference/errors.md\`). All requests are valid, so each refusal is because of the state.

Staff hold a server with \`admin server suspend ID --reason R\`. Its customer sees the reason, and cannot renew or destroy the server until staff release
it (\`unsuspend\`). The customer can still set host name, firewall, automatic renewal and a cancellation for the end of the term. Nothing is charged during
a hold, and the server is kept for at least seven days after its release.
`;

/** A subject for each cell. */
type Cells = ReadonlyMap<Operation, ReadonlyMap<State, Subject>>;

it("the API answers in every state as docs/reference/states.md and the OpenAPI document say", async () => {
  const held = new Held();
  // Whatever is under way stays so until every operation was asked for.
  const environment = { HOSTLEDGER_PROVIDER_TIMEOUT_MS: "60000" };
  const shop = await openShop({ data: directory.path, environment, decorate: held.decorate });
  const { staff } = shop.instance;
  await staff.domains.setPrice({
    tld: "com",
    registrationCents: 1_000n,
    renewalCents: 1_000n,
    transferCents: 1_000n,
    restoreCents: 5_000n,
    active: true,
  });
  const { baseUrl } = shop.instance;
  const client = await openCustomer(staff, baseUrl, { balanceCents: 100_000_000n });
  const scene = { client, staff, ...(await held.offer(staff, shop)) };
  const make = async (operations: readonly Operation[], states: readonly State[]): Promise<Cells> => {
    const cells = new Map<Operation, Map<State, Subject>>();
    for (const [row, operation] of operations.entries()) {
      const subjects = states.map(async (state, column) => {
        const subject = await state.make(scene, `${String(row)}-${String(column)}`);
        return [state, subject] as const;
      });
      cells.set(operation, new Map(await Promise.all(subjects)));
    }
    return cells;
  };
  const domains = await make(domainOperations, domainStates);
  const servers = await make(serverOperations, serverStates);
  const answers = new Map<Subject, string>();
  const states = [...domainStates, ...serverStates];

  async function ask(instance: Instance, days: number): Promise<void> {
    const present = customerAt(instance.baseUrl, client);
    for (const cells of [domains, servers])
      for (const [operation, row] of cells)
        for (const [state, subject] of row)
          if (state.afterDays === days)
            answers.set(subject, await answerOf(operation, state, subject, { present, instance }));
  }

  try {
    await ask(shop.instance, 0);
  } finally {
    held.release();
    await shop.close();
  }
  for (const days of new Set(states.map(({ afterDays }) => afterDays))) {
    if (days === 0) continue;
    const later = { HOSTLEDGER_CLOCK_OFFSET: `+${String(days)}d` };
    const instance = await startInstance({ data: directory.path, environment: later });
    try {
      await ask(instance, days);
    } finally {
      await instance.close();
    }
  }

  const tableOf = (cells: Cells, shown: readonly State[]): string =>
    markdownTable([
      ["", ...shown.map(({ name }) => name)],
      ...[...cells].map(([{ name }, row]) => [
        `\`${name}\``,
        ...[...row.values()].map((subject) => answers.get(subject) ?? "not asked"),
      ]),
    ]);
  const document = [
    introduction,
    `## Domains\n\n${tableOf(domains, domainStates)}`,
    `## Servers\n\n${tableOf(servers, serverStates)}`,
  ].join("\n");
  await expect(document).toMatchFileSnapshot(join(import.meta.dirname, "../../docs/reference/states.md"));
});

it("this spec tests every operation of the OpenAPI document about a domain or a server", () => {
  const asked = [...domainOperations, ...serverOperations].map(({ operationId }) => operationId);
  expect([...new Set(asked)].toSorted()).toEqual(operationsOfDocument());
});

async function answerOf(
  operation: Operation,
  state: State,
  subject: Subject,
  { present, instance }: { readonly present: Customer; readonly instance: Instance },
): Promise<string> {
  const message = `${state.name}, ${String(subject.id)}`;
  const reached = (): Promise<boolean> => state.isReached(present, instance.staff, subject);
  await expect.poll(reached, { timeout: 20_000, message }).toBe(true);
  const { status, body } = await operation.ask(present, subject);
  return status < 400 ? String(status) : `${String(status)} \`${String(objectOf(body).code)}\``;
}
