// @ts-check
import { balanceChart, element, euros, stepsPicture, visible } from "./picture.js";
import { call, callStream, RefusedCall } from "./rpc-client.js";
import {
  entryOf,
  fromBase64,
  leafHash,
  openCheckpoint,
  verifyConsistency,
  verifyInclusion,
} from "./transparency.js";

/** Where the credential is kept until the tab is closed, and the last checkpoint for as long as the browser keeps it. */
const credentialKey = "hostledger-audit-credential";
const seenKey = "hostledger-audit-checkpoint";
/** At most so many facts on one timeline. */
const timelineLimit = 500;

let credential = sessionStorage.getItem(credentialKey) ?? "";

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);
const say = (/** @type {string} */ text) => (byId("message").textContent = visible(text));
/** @param {string} method @param {object} [request] */
const ask = (method, request = {}) => call(credential, method, request);

/** What goes wrong is said beside the form. @param {string} id @param {() => Promise<void>} action */
function onSubmit(id, action) {
  const form = byId(id);
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    say("");
    form.querySelector("[role=alert]")?.remove();
    action().catch((error) => {
      form.append(element("p", { role: "alert" }, error.message));
    });
  });
}

async function enter() {
  await showLog();
  sessionStorage.setItem(credentialKey, credential);
  byId("login").hidden = true;
  byId("console").hidden = byId("logout").hidden = false;
  byId("main").focus();
  await search();
}

async function showLog() {
  const { note, verifierKeys = [] } = await ask("GetCheckpoint");
  const [origin = "", size = "", root = ""] = note.split("\n");
  const rows = [
    ["Origin", origin],
    ["Events", size],
    ["Root", root],
    ["Key", verifierKeys.join(" ")],
  ];
  byId("log").replaceChildren(
    ...rows.flatMap(([name = "", value = ""]) => [element("dt", {}, name), element("dd", {}, value)]),
  );
}

async function search() {
  const { accounts = [] } = await ask("ListAuditedAccounts", { search: byId("text").value });
  const items = accounts.map((/** @type {any} */ account) => {
    const button = element("button", { type: "button" }, `${account.accountId} ${account.name}`);
    button.addEventListener("click", () =>
      showAccount(account.accountId).catch((error) => say(error.message)),
    );
    const by = account.foundBy === undefined ? "" : `, found by ${account.foundBy.join(", ")}`;
    return element("li", {}, button, ` ${euros(account.balanceCents)}${by}`);
  });
  byId("accounts").replaceChildren(
    ...(items.length === 0 ? [element("li", {}, "No account found.")] : items),
  );
}

/** @param {string} accountId */
async function showAccount(accountId) {
  const statement = await ask("GetStatement", { accountId });
  const movements = statement.movements ?? [];
  byId("account").hidden = false;
  byId("account-title").textContent = visible(`Account ${accountId}, ${statement.name}`);
  byId("account-title").focus();
  const slider = byId("as-of");
  // A browser cuts a value to the maximum that there is when the value is set.
  slider.max = String(movements.length);
  slider.value = slider.max;
  slider.oninput = () => showAsOf(movements, Number(slider.value));
  showAsOf(movements, movements.length);
  await showTimeline(accountId);
}

/** The first `shown` movements, in the chart, in words and in the table. @param {any[]} movements @param {number} shown */
function showAsOf(movements, shown) {
  const last = movements[shown - 1];
  const text =
    last === undefined
      ? "Before the first movement: 0.00 EUR"
      : `${last.time}: ${euros(last.balanceAfterCents)}`;
  byId("balance").textContent = text;
  byId("as-of").setAttribute("aria-valuetext", text);
  byId("chart").replaceChildren(balanceChart(movements, shown));
  const names = ["Time", "What", "Cause", "Document", "Amount", "Balance"];
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  const rows = movements.slice(0, shown).map((one) => {
    const cells = [
      one.time,
      one.description ?? one.type,
      one.cause ?? "",
      one.documentNumber ?? "",
      euros(one.amountCents),
      euros(one.balanceAfterCents),
    ];
    return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
  });
  byId("movements").replaceChildren(
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
  );
}

/** @param {string} accountId */
async function showTimeline(accountId) {
  const batches = await callStream(credential, "ReadEvents", { accountId, limit: timelineLimit });
  const events = batches.flatMap(({ events = [] }) => events);
  const items = events.map((event) => {
    const { causationId, actor, commandId } = metadataOf(event);
    // A process is the cause of what it asks of others, by the name of its own stream.
    const names = [event.stream, commandId];
    const effects = events.filter(
      (other) =>
        other.stream !== event.stream &&
        Number(other.index ?? 0) > Number(event.index ?? 0) &&
        names.includes(metadataOf(other).causationId),
    );
    const cause = String(causationId ?? "a request");
    const words = `caused by ${cause}, by ${actor ?? "the system"}; led to ${effects.map(({ type }) => type).join(", ") || "nothing here"}`;
    const details = element(
      "details",
      {},
      element("summary", {}, `${event.time} ${event.type}`),
      element("p", {}, words),
      element("code", {}, event.data),
    );
    return element("li", {}, details);
  });
  byId("timeline").replaceChildren(...items);
  byId("timeline-note").textContent =
    events.length < timelineLimit
      ? ""
      : `The first ${timelineLimit} facts; hostledger audit events tells all.`;
}

/**
 * What metadata leaves out is what another member says: a command is its own cause, or one of the steps of its cause.
 * @param {any} event
 */
function metadataOf(event) {
  const { causationId, commandId, step, actor } = JSON.parse(event.metadata || "{}");
  const command = step === undefined ? commandId : `${causationId}/${step}`;
  return { causationId: causationId ?? command, commandId: command, actor };
}

async function explain() {
  byId("explanation").replaceChildren();
  const invoice = await ask("ExplainInvoice", { invoice: byId("invoice").value.trim() });
  const steps = invoice.steps ?? [];
  const items = steps.map((/** @type {any} */ { text, actor, requestId, event }) =>
    element(
      "li",
      {},
      `${event?.time ?? ""} ${text}`,
      ` (by ${actor ?? "the system"}${requestId === undefined ? "" : `, request ${requestId}`})`,
    ),
  );
  const title = `${invoice.number}: ${euros(invoice.grossCents)}, ${invoice.outcome}`;
  byId("explanation").replaceChildren(
    element("h3", {}, title),
    stepsPicture(steps),
    element("ol", {}, ...items),
  );
}

/** @param {string} name @param {boolean} isRight @param {string} text */
function report(name, isRight, text) {
  byId("checks").append(
    element("li", { class: isRight ? "good" : "bad" }, `${isRight ? "✓" : "✗ Wrong:"} ${name}: ${text}`),
  );
}

async function verify() {
  byId("checks").replaceChildren();
  if (globalThis.crypto.subtle === undefined)
    throw new Error("This browser computes signatures on https or localhost only.");
  try {
    const { note, verifierKeys = [] } = await ask("GetCheckpoint");
    // Keys that this browser knows from before win over what the server says now; after a rotation both sign.
    const checkpoint = await openCheckpoint(note, lastSeen()?.keys ?? verifierKeys);
    report("Signature", true, `of ${checkpoint.origin}, ${checkpoint.size} events`);
    const isConsistent = await checkConsistency(checkpoint);
    const isIncluded = await checkInclusion(checkpoint);
    // A log that did not hold is not remembered as the one to compare with.
    if (isConsistent && isIncluded) remember(note, verifierKeys);
  } catch (error) {
    // What was typed does not exist: that says nothing of the log.
    if (error instanceof UnknownLeaf) throw error;
    report("Stopped", false, error instanceof Error ? error.message : String(error));
  }
}

/** The keys stay with the note, so that a later log cannot bring a key of its own. @param {string} note @param {string[]} keys */
const remember = (note, keys) => localStorage.setItem(seenKey, JSON.stringify({ note, keys }));

/** @returns {{ note: string, keys: string[] } | null} */
const lastSeen = () => JSON.parse(localStorage.getItem(seenKey) ?? "null");

/** @param {import("./transparency.js").Checkpoint} now */
async function checkConsistency(now) {
  const seen = lastSeen();
  if (seen === null) {
    report("Consistency", true, "this browser saw no earlier checkpoint");
    return true;
  }
  const before = await openCheckpoint(seen.note, seen.keys);
  if (before.origin !== now.origin || before.size > now.size) {
    report("Consistency", false, `this browser saw ${before.origin} with ${before.size} events before`);
    return false;
  }
  const isSame = before.size === now.size || before.size === 0;
  const { hashes = [] } = isSame
    ? {}
    : await ask("GetConsistencyProof", { firstSize: before.size, secondSize: now.size });
  const proof = hashes.map(fromBase64);
  const isRight = await verifyConsistency({
    first: before.size,
    second: now.size,
    firstRoot: before.root,
    secondRoot: now.root,
    proof,
  });
  report("Consistency", isRight, `with the ${before.size} events that this browser saw before`);
  return isRight;
}

/** Nothing in the log has the number or the index that was typed. */
class UnknownLeaf extends Error {}

/** @param {string} wanted @param {object} asked */
async function askForProof(wanted, asked) {
  try {
    return await ask("GetInclusionProof", asked);
  } catch (error) {
    const isTyped = wanted !== "" && error instanceof RefusedCall && error.isAboutRequest;
    if (isTyped) throw new UnknownLeaf(`Nothing was verified of "${wanted}": ${error.message}`);
    throw error;
  }
}

/** @param {import("./transparency.js").Checkpoint} now */
async function checkInclusion(now) {
  if (now.size === 0) return true;
  const wanted = byId("leaf").value.trim();
  const asked =
    wanted === ""
      ? { index: now.size - 1 }
      : /^[0-9]+$/.test(wanted)
        ? { index: Number(wanted) }
        : { documentNumber: wanted };
  const { index = 0, event, hashes = [] } = await askForProof(wanted, { ...asked, treeSize: now.size });
  // Protobuf's JSON leaves zeros and empty texts out.
  const shown = { revision: 0, data: "", metadata: "", ...event };
  const leaf = await leafHash(await entryOf(shown));
  const isAsked = asked.index === undefined || asked.index === Number(index);
  const proof = hashes.map(fromBase64);
  const isRight =
    isAsked && (await verifyInclusion({ index: Number(index), size: now.size, leaf, proof, root: now.root }));
  report("Inclusion", isRight, `${shown.type} of ${shown.time}, event ${index} of the log: ${shown.data}`);
  return isRight;
}

onSubmit("login", async () => {
  credential = byId("credential").value.trim();
  byId("credential").value = "";
  await enter();
});
onSubmit("search", search);
onSubmit("explain", explain);
onSubmit("verify", verify);
/** Whoever signed in at the identity provider has a cookie, which this page cannot read, and no credential. */
async function resume() {
  const response = await fetch("/audit/session");
  const { sign_in: hasSignIn = false, name } = await response.json();
  byId("sign-in").hidden = !hasSignIn;
  if (credential === "" && name === undefined) return;
  byId("logout").textContent = credential === "" ? visible(`Log out ${name}`) : "Log out";
  await enter();
}

async function logOut() {
  if (credential === "") await fetch("/audit/logout", { method: "POST" });
  sessionStorage.removeItem(credentialKey);
  location.reload();
}
byId("logout").addEventListener("click", () => logOut().catch((error) => say(error.message)));
resume().catch((error) => say(error.message));
