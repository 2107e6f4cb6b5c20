import { withAppend, type EventStore } from "@hostledger/store";

import { startInstance } from "./instance.ts";
import { importFile, importPayments } from "./money-courses.ts";
import { moneyOutCourse } from "./money-out-courses.ts";
import { restClient } from "./rest-client.ts";

/**
 * An instance that takes a payment, imports a bank file, or sends money out, and dies before or after the first append of an event, as by
 * a power cut: `dying-money.fixture.ts DATA API_KEY payment|import|COURSE before|after EVENT`. COURSE is a name of `moneyOutCourses`, for
 * the first account. The settings are those of its environment.
 */
const [data = "", apiKey = "", course = "", moment = "", type = ""] = process.argv.slice(2);

/** The signal ends all threads before the call returns. */
function dieIf(isReached: boolean): void {
  if (isReached) process.kill(process.pid, "SIGKILL");
}

function store(opened: EventStore): EventStore {
  return withAppend(opened, async (stream, expected, events) => {
    const isWatched = events.some((event) => event.type.replace(/\.v\d+$/u, "") === type);
    dieIf(isWatched && moment === "before");
    const stored = await opened.append(stream, expected, events);
    dieIf(isWatched && moment === "after");
    return stored;
  });
}

const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[0].startsWith("HOSTLEDGER_") && entry[1] !== undefined,
  ),
);
const instance = await startInstance({ data, environment, decorate: { store } });
if (course === "import") {
  await importFile(instance);
  await importPayments(instance);
} else if (course !== "payment") {
  await moneyOutCourse(course).finish(instance, { accountId: 1, apiKey });
} else {
  // The cents choose a chargeback.
  const asked = { amount: 50.07, method: "card" };
  await restClient(instance.baseUrl, apiKey).post("/billing/topups", asked, { "Idempotency-Key": "topup" });
}
// Work without a request follows within seconds.
