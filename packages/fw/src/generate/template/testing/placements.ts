/** A place for data in a page. The template of one placement writes the payload `p`. */
export interface Place {
  readonly template: string;
  /** JavaScript that reads the payload back from the placement's `element`; absent if the payload is encoded there. */
  readonly read?: string;
  /** True if each placement makes the browser load something. */
  readonly loads?: boolean;
}

const title = 'element.querySelector("[title]").getAttribute("title")';
const usage = "element.used";
const content = "element.textContent";

/** Places for data, by description. Their scripts call `use`, which finds the placement and stores the value there. */
export const places: Readonly<Record<string, Place>> = {
  text: { template: "{{p}}", read: content },
  "slot between tags": { template: "{{#> box}}{{p}}{{/box}}", read: content },
  "slot of an attribute": { template: '{{#> box}}{{#slot "title"}}{{p}}{{/slot}}{{/box}}', read: title },
  "text of a table": { template: "<table><tr><td>{{p}}</td></tr></table>", read: content },
  "text of svg": { template: "<svg><text>{{p}}</text></svg>", read: content },
  "title of svg": { template: "<svg><title>{{p}}</title></svg>", read: content },
  "option of a select": { template: "<select><option>{{p}}</option></select>", read: content },
  noscript: { template: "<noscript>{{p}}</noscript>" },
  textarea: { template: "<textarea>{{p}}</textarea>", read: 'element.querySelector("textarea").value' },
  comment: { template: "<!--{{p}}--><b></b><!-- {{p}} -->" },
  "value in double quotes": { template: '<b title="{{p}}"></b>', read: title },
  "value in single quotes": { template: "<b title='{{p}}'></b>", read: title },
  "value without quotes": { template: "<b title={{p}} lang=en></b>", read: title },
  "value without quotes at the end": { template: "<b lang=en title={{p}}></b>", read: title },
  "part of a value": { template: '<b title="a {{p}} b"></b>' },
  "part of a value without quotes": { template: "<b title=a{{p}}b></b>" },
  "value of an input": {
    template: '<input type="text" value="{{p}}">',
    read: 'element.querySelector("input").getAttribute("value")',
  },
  "value of a data attribute": { template: '<b data-p="{{p}}"></b>' },
  "value in branches": { template: "<b {{#if p}}title='{{p}}'{{else}}lang='en'{{/if}} class={{p}}></b>", read: title },
  "content of a meta": { template: '<meta name="x" content="{{p}}">' },
  href: { template: '<a href="{{p}}">x</a>' },
  "href without quotes": { template: "<a href={{p}}>x</a>" },
  "href of an area": { template: '<map name="m"><area href="{{p}}"></map>' },
  "href of svg": { template: '<svg><a xlink:href="{{p}}"><text>x</text></a><a href="{{p}}"></a></svg>' },
  "target of an animation": { template: '<svg><a><animate attributeName="href" to="{{p}}" /></a></svg>' },
  "href from two values": { template: '<a href="{{p}}{{p}}">x</a>' },
  "href after a scheme begun": { template: '<a href="java{{p}}">x</a>' },
  "href after a slash": { template: '<a href="/{{p}}">x</a>' },
  "path of a href": { template: '<a href="/a/{{p}}">x</a>' },
  "query of a href": { template: '<a href="/a?q={{p}}&amp;r={{p}}#{{p}}">x</a>' },
  "action of a form": { template: '<form action="{{p}}"><button formaction="{{p}}">x</button></form>' },
  "src of an image": { template: '<img src="{{p}}">', loads: true },
  "srcset of an image": { template: '<img srcset="{{p}} 1x, {{p}}">', loads: true },
  "src of an iframe": { template: '<iframe src="{{p}}"></iframe>', loads: true },
  "data of an object": { template: '<object data="{{p}}"></object><embed src="{{p}}">', loads: true },
  "src of a script": { template: '<script src="{{p}}"></script><script src="/js/{{p}}"></script>', loads: true },
  "poster of a video": { template: '<video poster="{{p}}" src="{{p}}"></video>', loads: true },
  "URL of a refresh": { template: '<meta http-equiv="refresh" content="9999;url={{p}}">' },
  "delay of a refresh": { template: '<meta http-equiv="refresh" content="9{{p}};url=/x">' },
  "value of a style": { template: '<b style="color:{{p}}">x</b>' },
  "string of a style": { template: "<b style=\"font-family:'{{p}}'\">x</b>" },
  "URL of a style": { template: "<b style=\"background:url({{p}}) no-repeat, url('{{p}}')\">x</b>" },
  "value of a style sheet": { template: "<style>.a { color: {{p}}; }</style>" },
  "string of a style sheet": { template: "<style>.a::after { content: \"{{p}}\"; font-family: '{{p}}' }</style>" },
  "URL of a style sheet": { template: "<style>.a { background: url({{p}}), url('{{p}}') }</style>" },
  "value of a script": { template: "<script>use({{p}})</script>", read: usage },
  "string of a script": { template: "<script>use('{{p}}')</script>", read: usage },
  "string in double quotes of a script": { template: '<script>use("{{p}}")</script>', read: usage },
  "comment of a script": { template: "<script>// {{p}}\nuse(1); /* {{p}} */</script>" },
  "JSON of a script": {
    template: '<script type="application/json">{"p": "{{p}}", "q": {{p}} }</script>',
    read: "JSON.parse(element.textContent).q",
  },
  "value of an event handler": { template: '<b onclick="use({{p}})">x</b>', read: usage },
  "string of an event handler": { template: "<b onclick=\"use('{{p}}')\">x</b>", read: usage },
  "string in double quotes of an event handler": { template: "<b onclick='use(\"{{p}}\")'>x</b>", read: usage },
  "event handler without quotes": { template: "<b onclick=use({{p}})>x</b>", read: usage },
  "hx-vals": {
    template: "<b hx-vals='{\"p\": {{p}} }'></b>",
    read: 'JSON.parse(element.querySelector("b").getAttribute("hx-vals")).p',
  },
  "hx-get, hx-on and hx-trigger": { template: '<b hx-get="{{p}}" hx-on:x="use(\'{{p}}\')" hx-trigger="{{p}}"></b>' },
};

/** Places where the payload becomes sanitized HTML. */
export const htmlPlaces: Readonly<Record<string, string>> = {
  markdown: "{{markdown p}}",
  "markdown in a list": "<ul><li>{{markdown p}}</li></ul>",
  "raw HTML": "{{{p}}}",
};
