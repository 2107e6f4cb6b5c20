import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { admin } from "@hostledger/protocol";
import { expect, it } from "vitest";

import { metricsReadersAt } from "./metrics-readers.ts";

it.each([
  ["allowed", undefined],
  ["forbidden", Code.PermissionDenied],
  ["unknown-credential", Code.Unauthenticated],
])("at a gateway a credential is %s as the account service answers", async (found, code) => {
  const shown: (string | null)[] = [];
  const transport = createRouterTransport(({ rpc }) => {
    rpc(admin.StaffAdminService.method.listStaffMembers, (_request, { requestHeader }) => {
      shown.push(requestHeader.get("authorization"));
      if (code !== undefined) throw new ConnectError("no", code);
      return {};
    });
  });
  expect(await metricsReadersAt(transport)("Bearer hls_x")).toBe(found);
  expect(shown).toEqual(["Bearer hls_x"]);
});

it("at a gateway only persons' tokens are looked up", async () => {
  const nowhere = createRouterTransport(() => undefined);
  expect(await metricsReadersAt(nowhere)("Bearer guessed")).toBe("unknown-credential");
});

it.each([Code.Unavailable, Code.ResourceExhausted])(
  "and refuses everything on an answer %s",
  async (code) => {
    const transport = createRouterTransport(({ rpc }) => {
      rpc(admin.StaffAdminService.method.listStaffMembers, () => {
        throw new ConnectError("not now", code);
      });
    });
    await expect(metricsReadersAt(transport)("Bearer hls_x")).rejects.toThrow("not now");
  },
);
