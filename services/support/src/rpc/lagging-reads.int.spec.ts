import { randomIds } from "@hostledger/runtime";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import {
  accountOpened,
  openHarness,
  portOf,
  type Harness,
  type SupportInstance,
} from "../support-service.fixture.ts";

const owner = 7;
const request = { title: "Slow", message: "My server\nis slow.", priority: "" };

let harness: Harness;

beforeEach(async () => {
  harness = await openHarness();
  await harness.record("account-7", accountOpened(owner, "Ada"));
});

async function stopAnotherTicket({ service }: SupportInstance): Promise<void> {
  const damaged = { id: randomIds.uuid(), type: "TicketOpened.v1", data: "{}", metadata: "{}" };
  await harness.store.append("ticket-999", "no-stream", [damaged]);
  await vi.waitFor(() => {
    expect(service.projector.stopped()).toContainEqual(
      expect.objectContaining({ projection: "tickets", stream: "ticket-999" }),
    );
  });
}

describe("a ticket", () => {
  it("is answered when it was opened, also if the read model lags for long", async () => {
    let isFrozen = false;
    const thawed = Promise.withResolvers<undefined>();
    onTestFinished(() => {
      thawed.resolve(undefined);
    });
    const instance = await harness.start((store) => ({
      ...portOf(store),
      async *subscribe(options) {
        for await (const batch of store.subscribe(options)) {
          if (isFrozen) await thawed.promise;
          yield batch;
        }
      },
    }));
    isFrozen = true;
    const opened = await instance.as(owner).openTicket(request);
    expect(opened).toMatchObject({ message: request.message, ticket: { id: 1n, title: "Slow" } });
  });

  it("is answered and closed by its events while another ticket's stream is stopped", async () => {
    const instance = await harness.start();
    const { ticket } = await instance.as(owner).openTicket(request);
    const ticketId = ticket?.id ?? 0n;
    await stopAnotherTicket(instance);
    await expect(instance.as(owner).openTicket(request)).resolves.toMatchObject({ ticket: { id: 2n } });
    const replied = await instance.as(owner).replyToTicket({ ticketId, message: "Still slow." });
    expect(replied.comment).toMatchObject({ comment: "Still slow.", userName: "Ada", staff: false });
    expect(replied.ticket).toMatchObject({ id: ticketId, status: "open" });
    const closed = await instance.as(owner).closeTicket({ ticketId });
    expect(closed.ticket).toMatchObject({ id: ticketId, status: "closed" });
  });
});
