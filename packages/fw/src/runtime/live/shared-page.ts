import type { Client, Context } from "../../declare/context.ts";
import { exactText } from "../../lib/exact-text.ts";
import { readCookie } from "../access/cookies.ts";
import { tokenFor } from "../access/csrf.ts";
import { platformOf, type Application } from "../application.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { ScopedContext } from "../context.ts";
import type { Request } from "../request.ts";
import { hashOf } from "./document.ts";
import { Reads } from "./reads.ts";
import { RenderTurns } from "./render-turns.ts";
import { shownFlash, shownToken } from "./shown.ts";

/** A live page as requested by one browser. */
export interface LivePage {
  readonly request: Request;
  readonly endpoint: BundledEndpoint;
  readonly input: unknown;
}

/** Renders a page for the current user; undefined if it is no longer a document this user may see. */
export type Render = (page: LivePage, outer: Context, reads: Reads) => Promise<string | undefined>;

export interface PageRender {
  /** Undefined if the page is no longer a document this user may see. */
  readonly html: string | undefined;
  readonly hash: string;
  /** The form token in the document, which belongs to the leader's browser. */
  readonly token: string;
  readonly leader: Request;
  /** The ordinal of this render among all renders of the page. */
  readonly version: number;
}

/** Headers that a render does not depend on, or that the key represents in another form. */
const irrelevantHeaders =
  /^(?:accept|accept-encoding|authorization|cache-control|connection|cookie|forwarded|fw-live|pragma|priority|referer|sec-.*|te|trace.*|user-agent|x-(?:forwarded|real|request|client|cloud|amzn).*)$/i;

interface ProcessPages {
  readonly pages: Map<string, SharedPage>;
  /** Endpoints whose renders depend on more than the user, so browsers cannot share them. */
  readonly personal: Set<BundledEndpoint>;
  readonly turns: RenderTurns;
}

const pagesOfApplications = new WeakMap<Application, ProcessPages>();

function pagesOf(app: Application): ProcessPages {
  const existing = pagesOfApplications.get(app);
  if (existing !== undefined) return existing;
  const pages = {
    pages: new Map<string, SharedPage>(),
    personal: new Set<BundledEndpoint>(),
    turns: new RenderTurns(),
  };
  pagesOfApplications.set(app, pages);
  return pages;
}

/**
 * Follows a page together with all browsers that get the same render, with the same credential or none. If each browser
 * needs its own render, follows it alone. `shownHash` is the hash of the document in the browser.
 */
export function follow(page: LivePage, render: Render, shownHash: string): Follower {
  const { pages, personal } = pagesOf(page.request.app);
  if (personal.has(page.endpoint)) return new Follower(page, new SharedPage(undefined, render), shownHash);
  const key = keyOfPage(page);
  const target = pages.get(key) ?? new SharedPage(key, render);
  pages.set(key, target);
  return new Follower(page, target, shownHash);
}

/** Returns a key with everything a render can depend on, except for the members that `ObservedContext` observes. */
function keyOfPage({ request, endpoint, input }: LivePage): string {
  const { claim, session, exchange, path, query, secure } = request;
  const { rawHeaders } = exchange;
  const headers = rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !irrelevantHeaders.test(name) ? [`${name.toLowerCase()}: ${rawHeaders[i + 1]}`] : [],
  );
  const language = readCookie(exchange.header("cookie"), "language");
  const user = [session !== undefined, claim, language, shownFlash(request)];
  return exactText([endpoint.route, path, query, secure, input, user, headers.toSorted()]) ?? "";
}

export class Follower {
  readonly page: LivePage;
  #shared: SharedPage;
  #seen: number;
  /** True until this follower has seen a render. */
  #isNew = true;
  #wake: (() => void) | undefined;

  constructor(page: LivePage, target: SharedPage, shownHash: string) {
    this.page = page;
    this.#shared = target;
    this.#seen = target.versionToFollow(shownHash);
    target.add(this);
    page.request.signal.addEventListener("abort", () => this.wake(), { once: true });
  }

  /** Waits for a render that this browser has not seen, and returns it; undefined once the request has ended. */
  async next(): Promise<PageRender | undefined> {
    const { signal } = this.page.request;
    while (!signal.aborted) {
      const newest = this.#shared.renderAfter(this.#seen, this.#isNew);
      if (newest === "personal") this.#leaveForOwn();
      else if (newest !== undefined) {
        this.#seen = newest.version;
        this.#isNew = false;
        return newest;
      } else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return undefined;
  }

  /** Returns the document of a render with this browser's form token. */
  documentOf({ html = "", token, leader }: PageRender): string {
    const { request } = this.page;
    // The request may already lead another render, whose token must not change.
    return token === "" || leader === request ? html : html.replaceAll(token, tokenFor(request.ctx));
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  end(): void {
    this.#shared.delete(this);
  }

  /** Follows the page alone, because its render depends on the browser. */
  #leaveForOwn(): void {
    this.#shared.delete(this);
    this.#shared = new SharedPage(undefined, this.#shared.render);
    this.#seen = 0;
    this.#isNew = true;
    this.#shared.add(this);
  }
}

/**
 * Renders a page for all of its followers at once, and again after each change to a document that the render read. One
 * follower's request leads. When it ends, another follower's request takes over.
 */
class SharedPage {
  /** Undefined for a page with a single follower. */
  readonly #key: string | undefined;
  readonly render: Render;
  readonly #followers = new Set<Follower>();
  readonly #empty = new AbortController();
  #newest: PageRender | undefined;
  /** The version of the newest render that a change has caused, or of the first render. */
  #changed = 0;
  #begun = 0;
  /** The reads of the newest render; undefined while another render waits for its turn. */
  #reads: Reads | undefined;
  /** True if the leader ended during a render that a change had caused. */
  #isChangeDue = false;
  #state: { readonly is: "shared" } | { readonly is: "personal" } | { readonly is: "failed"; readonly error: unknown } =
    { is: "shared" };
  #isRunning = false;

  constructor(key: string | undefined, render: Render) {
    this.#key = key;
    this.render = render;
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run(follower.page.request.app);
  }

  delete(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#close(follower.page.request.app);
  }

  /**
   * Returns the version that a new follower has seen. If its browser shows a document other than the newest render,
   * that document may be newer, because notifications take time. The follower then gets a render that starts after this
   * call.
   */
  versionToFollow(shownHash: string): number {
    if (shownHash !== "" && this.#newest?.hash === shownHash) return this.#newest.version;
    this.#reads?.expire();
    return this.#begun;
  }

  /**
   * Returns the newest render if it is later than `version`, or "personal" if each browser needs its own. Only new
   * followers get a render made for new followers, because it may differ without a change, for example by the time of
   * day. Throws the error of a failed render.
   */
  renderAfter(version: number, isNew: boolean): PageRender | "personal" | undefined {
    if (this.#state.is === "failed") throw this.#state.error;
    if (this.#state.is === "personal") return "personal";
    return (isNew ? (this.#newest?.version ?? 0) : this.#changed) > version ? this.#newest : undefined;
  }

  async #run(app: Application): Promise<void> {
    let reads: Reads | undefined;
    try {
      while (this.#state.is === "shared" && !this.#empty.signal.aborted) {
        const before = reads;
        reads = new Reads(platformOf(app, "follow pages on"));
        // A subscription may start with a notification, so a new one for each render would cause endless renders.
        const isComplete = await this.#renderNext(reads, before).finally(() => before?.end());
        if (isComplete) await reads.changed(this.#empty.signal);
        else this.#isChangeDue ||= before?.isExpiredOnly !== true;
        this.#reads = undefined;
      }
    } catch (error) {
      this.#state = { is: "failed", error };
    } finally {
      reads?.end();
      this.#close(app);
      this.#wakeAll();
    }
  }

  /** Returns false if the page must be rendered again immediately because the leader has ended. */
  async #renderNext(reads: Reads, before: Reads | undefined): Promise<boolean> {
    const [leader] = this.#followers;
    if (leader === undefined) return true;
    const { request } = leader.page;
    await pagesOf(request.app).turns.take(request.session?.identity.id ?? request.ctx.client.ip);
    if (request.signal.aborted || !this.#followers.has(leader)) return false;
    this.#reads = reads;
    const version = ++this.#begun;
    const observed = new ObservedContext(request.ctx);
    let html: string | undefined;
    try {
      html = await this.render(leader.page, observed, reads);
    } catch (error) {
      if (request.signal.aborted) return false;
      throw error;
    }
    if (request.signal.aborted) return false;
    if (observed.isPersonal && this.#key !== undefined) {
      pagesOf(request.app).personal.add(leader.page.endpoint);
      this.#state = { is: "personal" };
    }
    const hash = html === undefined ? "" : hashOf(request, html);
    this.#newest = { html, hash, token: shownToken(request), leader: request, version };
    if (this.#isChangeDue || before?.isExpiredOnly !== true) this.#changed = version;
    this.#isChangeDue = false;
    this.#wakeAll();
    return true;
  }

  #close(app: Application): void {
    this.#empty.abort();
    const { pages } = pagesOf(app);
    if (this.#key !== undefined && pages.get(this.#key) === this) pages.delete(this.#key);
  }

  #wakeAll(): void {
    for (const follower of this.#followers) follower.wake();
  }
}

/** The context of a request, which detects renders that depend on the browser and not just on its user. */
class ObservedContext extends ScopedContext {
  isPersonal = false;

  override get client(): Client {
    this.isPersonal = true;
    return this.outer.client;
  }

  override get requestId(): string {
    this.isPersonal = true;
    return this.outer.requestId;
  }
}
