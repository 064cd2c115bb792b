// Opens a database with an unfilled index, and kills itself during a commit of the fill.
import { Client } from "pg";

const [module, address, commits, definitions] = process.argv.slice(2);
const { openPostgres } = await import(module);
const { query } = Client.prototype;
let isFilling = false;
let commitsLeft = Number(commits);
Client.prototype.query = function (text, ...rest) {
  isFilling ||= String(text.text ?? text).includes("filled_to = $6");
  const answer = query.call(this, text, ...rest);
  // The commit has been sent, but its response never arrives.
  if (isFilling && text === "COMMIT" && --commitsLeft === 0) setImmediate(() => process.kill(process.pid, "SIGKILL"));
  return answer;
};
await openPostgres(address, JSON.parse(definitions), {});
process.exit(1);
