/** What a person sees who opens the staff listener in a browser. @param restUrl where customers are served, once that is known */
export function staffHomePage(restUrl: string | undefined): string {
  const rest =
    restUrl === undefined
      ? ""
      : `
<p>Customers are served at <a href="${restUrl}/">${restUrl}/</a>, with the <a href="${restUrl}/docs">reference</a> and the <a href="${restUrl}/audit">audit console</a>.</p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Hostledger, staff</title>
<h1>Hostledger, staff</h1>
<p>The listener for staff: the command <code>hostledger admin</code> and Connect clients with a staff token call it.</p>${rest}
<ul>
<li><a href="/healthz">Health: does the process live</a></li>
<li><a href="/readyz">Readiness: does it take requests</a></li>
<li><a href="/metrics">Metrics, with a staff token</a></li>
</ul>
</html>
`;
}
