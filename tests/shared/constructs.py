# ruff: noqa: E501
"""Constructs of real pages, and the expected Markdown of each."""

GUTTER = "int a;\n  b();"
JAVA = f"```java\n{GUTTER}\n```"

CODE = {
    "hexo": """<figure class="highlight java"><table><tr><td class="gutter"><pre><span class="line">1
</span><br><span class="line">2</span><br></pre></td><td class="code"><pre><span class="line">int a;
</span><br><span class="line">  b();</span><br></pre></td></tr></table></figure>""".replace(
        "\n</span>", "</span>"
    ),
    "pygments table": """<div class="highlight-java"><table class="highlighttable"><tr><td class=linenos>
<div class=linenodiv><pre>1\n2</pre></div></td><td class=code><div class=highlight><pre><span></span>int a;
  b();</pre></div></td></tr></table></div>""",
    "pygments inline": """<div class="highlight"><pre class="code" data-lang="java"><span class="lineno">1 </span>int a;
<span class="lineno">2 </span>  b();</pre></div>""",
    "org mode": """<pre class="src src-java"><span class="linenr"> 9: </span><i class=k>int</i> a;
<span class="linenr">10: </span>  b();</pre>""",
    "rouge": """<div class="language-java highlighter-rouge"><div class=highlight><pre class=highlight><code>
<table class=rouge-table><tbody><tr><td class="rouge-gutter gl"><pre class=lineno>1\n2\n</pre></td>
<td class=rouge-code><pre>int a;\n  b();\n</pre></td></tr></tbody></table></code></pre></div></div>""",
    "prism": """<pre class="line-numbers language-java"><code class="language-java">int a;
  b();<span class="line-numbers-rows"><span>1</span><span>2</span></span></code></pre>""",
    "highlight.js": """<pre><code class="hljs java"><table class="hljs-ln"><tbody><tr>
<td class="hljs-ln-line hljs-ln-numbers"><div class="hljs-ln-n">1</div></td><td class="hljs-ln-code">int a;</td>
</tr><tr><td class="hljs-ln-numbers">2</td><td class="hljs-ln-code">  b();</td></tr></tbody></table></code></pre>""",
    "github": """<div class="highlight highlight-source-java"><table class="js-file-line-container"><tr>
<td class="blob-num">1</td><td class="blob-code">int a;</td></tr><tr><td class="blob-num">2</td>
<td class="blob-code">  b();</td></tr></table></div>""",
    "chroma": """<div class="highlight"><table class="lntable"><tr><td class="lntd"><pre class="chroma"><code>
<span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd"><pre class="chroma">
<code class="language-java" data-lang="java"><span class="line"><span class="cl">int a;
</span></span><span class="line"><span class="cl">  b();
</span></span></code></pre></td></tr></table></div>""",
    "syntaxhighlighter": """<pre class="brush: java; gutter: true">int a;\n  b();</pre>""",
    "lines as blocks": """<pre data-lang=java><div>int a;</div><div>  b();</div></pre>""",
    "vitepress": """<div class="language-java"><button title="Copy Code" class="copy"></button><span class="lang">java</span>
<pre class="shiki"><code><span class="line"><span>int</span><span> a;</span></span>
<span class="line">  b();</span></code></pre><div class="line-numbers-wrapper"><span class="line-number">1</span><br>
<span class="line-number">2</span><br></div></div>""",
    "docusaurus": """<div class="language-java codeBlockContainer"><div class="codeBlockContent"><pre class="prism-code
language-java"><code><span class="token-line"><span>int a;</span><br></span><span class="token-line"><span>  b();</span><br></span>
</code></pre><div class="buttonGroup"><button aria-label="Copy"><span>Copy</span></button></div></div></div>""",
    "mdn": """<div class="code-example"><div class="example-header"><span class="language-name">java</span><button><span>
Copy to Clipboard</span></button></div><pre class="brush: java notranslate"><code>int a;\n  b();</code></pre></div>""",
    "codemirror 5": """<div class="CodeMirror language-java"><div class="CodeMirror-code"><div><div
class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">1</div></div><pre class="CodeMirror-line">int a;</pre></div>
<div><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">2</div></div><pre class="CodeMirror-line">  b();</pre>
</div></div></div>""",
    "codemirror 6": """<div class="cm-editor"><div class="cm-gutters"><div class="cm-gutterElement">1</div><div
class="cm-gutterElement">2</div></div><div class="cm-content" data-language="java"><div class="cm-line">int a;</div><div
class="cm-line">  b();</div></div></div>""",
    "syntaxhighlighter's table": """<div class="syntaxhighlighter  java"><table><tr><td class="gutter"><div class="line number1">1</div>
<div class="line">2</div></td><td class="code"><div class="container"><div class="line"><code class="java keyword">int</code> <code class="java plain">a;</code></div><div class="line"><code class="java spaces">&nbsp;&nbsp;</code><code
class="java plain">b();</code></div></div></td></tr></table></div>""",
    "confluence": """<pre data-syntaxhighlighter-params="brush: java; gutter: false">int a;\n  b();</pre>""",
    "gist": """<div class="gist"><div class="Box-body blob-wrapper data type-java"><table class="js-file-line-container"><tr>
<td class="blob-num">1</td><td class="blob-code">int a;</td></tr><tr><td class="blob-num">2</td><td class="blob-code">  b();</td>
</tr></table></div><div class="gist-meta"><a href="/raw">view raw</a> hosted with love</div></div>""",
    "gatsby": """<div class="gatsby-highlight" data-language=java><pre class="language-java"><code class="language-java">
<span class="gatsby-highlight-code-line"><span class="token keyword">int</span> a;</span><span class="gatsby-highlight-code-line">
  b();</span></code></pre></div>""".replace("\n", "", 1).replace("\n  ", "  "),
    "shiki without line ends": """<pre class="shiki"><code class="language-java"><span class="line"><span>int</span><span> a;</span></span><span
class="line">  <span>b();</span></span></code></pre>""",
}


TABLES = {
    "empty cells": (
        "<table><tr><td><th>Old<th>New<tr><td>Fast<td><td>yes<tr><td>Small<td>yes<td></table>",
        "| | Old | New |\n| --- | --- | --- |\n| Fast | | yes |\n| Small | yes | |",
    ),
    "empty columns": (
        "<table><tr><td><th>A<td><th>B<tr><td> <td>1<td rowspan=2><td>2<td><tr><td><td>3<td>4</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ),
    "an empty column that a cell of two columns begins": (
        "<table><tr><th colspan=2><th>B<tr><td><td>1<td>2</table>",
        "| | | B |\n| --- | --- | --- |\n| | 1 | 2 |",
    ),
    "empty rows": (
        "<table><thead><tr><td><td><tbody><tr><th>A<th>B<tr><td><td><tr><td>1<td>2</table>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
    ),
    "an empty row below a cell of two rows": (
        "<table><tr><th>A<th>B<tr><td rowspan=2>both<td>1<tr><td><tr><td>3<td>4</table>",
        "| A | B |\n| --- | --- |\n| both | 1 |\n| | |\n| 3 | 4 |",
    ),
    "spans": (
        "<table><tr><th>A<th colspan=2>B<tr><td rowspan=2>both<td>1<td>2<tr><td>3<td>4</table>",
        "| A | B | |\n| --- | --- | --- |\n| both | 1 | 2 |\n| | 3 | 4 |",
    ),
    "alignment and caption": (
        "<table><caption>Prices</caption><thead><tr><th>What<th align=right>Price<tbody>"
        "<tr><td>Tea<td style='text-align: right'>2<tr><td>Pie<td align=right>3</table>",
        "Prices\n\n| What | Price |\n| --- | ---: |\n| Tea | 2 |\n| Pie | 3 |",
    ),
    "pipes and blocks": (
        "<table><tr><th>x|y<th>z<tr><td><p>one<p>two<td><ul><li>a<li>b</ul></table>",
        "| x\\|y | z |\n| --- | --- |\n| one<br>two | - a<br>- b |",
    ),
    "without headers": (
        "<table><tr><td>a<td>b<tr><td>c<td>d</table>",
        "| | |\n| --- | --- |\n| a | b |\n| c | d |",
    ),
    "nested": (
        "<table><tr><th>a<th>b<tr><td>c<td><table><tr><th>d<th>e<tr><td>f<td>g</table></table>",
        "| a | b |\n| --- | --- |\n| c | d e<br>f g |",
    ),
    "layout": (
        "<table width=700><tr><td><img src=/spacer.gif><td><h2>Story</h2><p>One.<p>Two.<td>"
        "<img src=/pic.jpg width=1 height=1></table>",
        "## Story\n\nOne.\n\nTwo.",
    ),
    "layout around a table": (
        "<table><tr><td><p>Text.<table><tr><td>a<td>b<tr><td>c<td>d</table><td><p>Side.</table>",
        "Text.\n\n| | |\n| --- | --- |\n| a | b |\n| c | d |\n\nSide.",
    ),
    "bold heads": (
        "<table><tr><td><b>Name</b><td><b>Age</b><tr><td>Ann<td>3<tr><td>Bob<td>4</table>",
        "| **Name** | **Age** |\n| --- | --- |\n| Ann | 3 |\n| Bob | 4 |",
    ),
    "feet before bodies": (
        "<table><thead><tr><th>A<th>B<tfoot><tr><td>sum<td>3<tbody><tr><td>x<td>3</table>",
        "| A | B |\n| --- | --- |\n| x | 3 |\n| sum | 3 |",
    ),
    "role": (
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        "a\n\nb\n\nc\n\nd",
    ),
}  # fmt: skip


TEX = r"e^{i\pi}+1=0"
MATHML = "<math><mrow><msup><mi>e</mi><mrow><mi>i</mi><mi>π</mi></mrow></msup><mo>+</mo><mn>1</mn><mo>=</mo><mn>0</mn></mrow></math>"
ANNOTATED = f"<math><semantics><mrow><mi>e</mi></mrow><annotation encoding='application/x-tex'>{TEX}</annotation></semantics></math>"
QUOTED = MATHML.replace('"', "&quot;")
FORMULAS = {
    "katex": f"<span class=katex><span class=katex-mathml>{ANNOTATED}</span>"
    "<span class=katex-html>eiπ+1=0</span></span>",
    "mathjax 3": f"<mjx-container><mjx-math></mjx-math><mjx-assistive-mml>{MATHML}"
    "</mjx-assistive-mml></mjx-container>",
    "mathjax 2": "<span class=MathJax_Preview>eiπ</span><span class=MathJax>eiπ+1=0</span>"
    f"<script type='math/tex'>{TEX}</script>",
    "mathjax 2 without its script": f'<span class=MathJax data-mathml="{QUOTED}">eiπ+1=0</span>',
    "kramdown": f"<script type='math/tex'>{TEX}</script>",
    "mathml": MATHML,
    "stack exchange": f"<span class=math-container>${TEX}$</span>",
    "mediawiki": f"<span class=mwe-math-element><span hidden>{ANNOTATED}</span><img src=/f.svg "
    f"class=mwe-math-fallback-image-inline alt='{{\\displaystyle {TEX}}}'></span>",
    "mediawiki's picture": "<img src=/f.svg class=mwe-math-fallback-image-inline "
    f"alt='{{\\displaystyle {TEX}}}'>",
    "mathjax 4": f'<mjx-container class="MathJax" jax="SVG"><svg data-latex="{TEX}"></svg></mjx-container>',
    "python-markdown": f'<span class="arithmatex">\\({TEX}\\)</span>',
    "not yet typeset": f'<script src="https://cdn.example/mathjax@3/tex.js"></script>\\({TEX}\\)',
    "not yet typeset, dollars": f'<script src="/katex/auto-render.js"></script>${TEX}$',
    "latexml": f'<math alttext="\\displaystyle {TEX}"><mi>e</mi></math>',
    "codecogs": "<img src='https://latex.codecogs.com/svg.latex?\\inline%20e^{{i\\pi}}+1=0'>".replace(
        "{{", "{"
    )
    .replace("}}", "}")
    .replace("+1", "%2B1"),
    "wordpress": f"<img src='https://s0.wp.com/latex.php?latex=e' alt='{TEX}' class=latex>",
}


NOTES = {
    "hatena": "<p>Claim<span class=footnote><a href='#f-1' id=fn-1 title=Source.>*1</a></span>.</p>"
    "<div class=footnote><p class=footnote><a href='#fn-1' id=f-1>*1</a>"
    "<span class=footnote-delimiter>:</span><span class=footnote-text>Source.</span></p></div>",
    "hugo": """<p>Claim<sup id="fnref:1"><a href="#fn:1" class="footnote-ref" role="doc-noteref">1</a></sup>.</p>
<div class="footnotes" role="doc-endnotes"><hr><ol><li id="fn:1"><p>Source.&#160;<a href="#fnref:1"
class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a></p></li></ol></div>""",
    "kramdown": """<p>Claim<sup id="fnref:a" role="doc-noteref"><a href="#fn:a" class="footnote" rel="footnote">1</a></sup>.</p><div class="footnotes"><ol><li id="fn:a" role="doc-endnote"><p>Source. <a href="#fnref:a"
class="reversefootnote">↩</a></p></li></ol></div>""",
    "sphinx": """<p>Claim<a class="footnote-reference brackets" href="#id3" id="id1" role="doc-noteref"><span>[</span>1
<span>]</span></a>.</p><aside class="footnote brackets" id="id3" role="doc-footnote"><span class="label"><span>[</span>
<a role="doc-backlink" href="#id1">1</a><span>]</span></span><p>Source.</p></aside>""",
    "asciidoctor": """<p>Claim<sup>[<a id="_r1" class="footnote" href="#_d1">1</a>]</sup>.</p><div id="footnotes"><hr>
<div class="footnote" id="_d1"><a href="#_r1">1</a>. Source.</div></div>""",
    "texinfo": """<p>Claim<a id="DOCF1" href="#FOOT1"><sup>1</sup></a>.</p><div class="footnotes-segment"><hr>
<h5 class="footnote-body-heading"><a id="FOOT1" href="#DOCF1">(1)</a></h5><p>Source.</p></div>""",
    "docutils table": """<p>Claim<a class="footnote-reference" href="#id3" id="id1">[1]</a>.</p><table class="docutils
footnote" id="id3"><tr><td class="label"><a class="fn-backref" href="#id1">[1]</a></td><td>Source.</td></tr></table>""",
    "docutils list": """<p>Claim<a class="footnote-reference brackets" href="#id3" id="id1">1</a>.</p><dl class="footnote
brackets"><dt class="label" id="id3"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt>
<dd><p>Source.</p></dd></dl>""",
    "wordpress": """<p>Claim<sup data-fn="8a" class="fn"><a href="#8a" id="8a-link">1</a></sup>.</p>
<ol class="wp-block-footnotes"><li id="8a">Source. <a href="#8a-link" aria-label="Jump">↩︎</a></li></ol>""",
    "ghost": """<p>Claim<sup class="footnote-ref"><a href="#fn1" id="fnref1">[1]</a></sup>.</p><hr
class="footnotes-sep"><section class="footnotes"><ol class="footnotes-list"><li id="fn1" class="footnote-item"><p>Source.
<a href="#fnref1" class="footnote-backref">↩︎</a></p></li></ol></section>""",
    "substack": """<p>Claim<a class="footnote-anchor" id="footnote-anchor-1" href="#footnote-1">1</a>.</p>
<div class="footnote"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a>
<div class="footnote-content"><p>Source.</p></div></div>""",
    "mediawiki": """<p>Claim<sup id="cite_ref-x_1-0" class="reference"><a href="#cite_note-x-1"><span>[</span>1<span>]
</span></a></sup>.</p><ol class="references"><li id="cite_note-x-1"><span class="mw-cite-backlink"><b><a
href="#cite_ref-x_1-0">^</a></b></span> <span class="reference-text">Source.</span></li></ol>""",
    "word": """<p>Claim<a href="#_ftn1" name="_ftnref1">[1]</a>.</p><hr><p><a href="#_ftnref1" name="_ftn1">[1]</a> Source.</p>""",
    "easy footnotes": """<p>Claim<span id="easy-footnote-1"></span><span class="easy-footnote"><a
href="#easy-footnote-bottom-1"><sup>1</sup></a></span>.</p><ol class="easy-footnotes-wrapper"><li><span
id="easy-footnote-bottom-1"></span>Source.<a href="#easy-footnote-1"></a></li></ol>""",
    "github": """<p>Claim<sup><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup>.</p><section class="footnotes">
<h2 id="footnote-label" class="sr-only">Footnotes</h2><ol><li id="user-content-fn-1"><p>Source. <a href="#user-content-fnref-1">↩</a>
</p></li></ol></section>""",
    "nameless": """<p>Claim<a name=r1 id=r1 href="#n1">*</a>.</p><p id=n1><a href="#r1">^</a> Source.</p>""",
}


SMALL = {
    "pilcrows": (
        '<h2 id=x>Intro<a class=headerlink href="#x">¶</a></h2><h3><a href="#y">Linked</a></h3>'
        '<h4><a class="anchor" href="#z">#</a> Hash</h4><h5>Old <a class="permalink" href="#w">Permalink</a></h5><h2><a class="anchor" href="#b">}</a></h2>',
        "## Intro\n\n### Linked\n\n#### Hash\n\n##### Old\n\n## }",
    ),
    "bold letters of headings": (
        "<h2><b><i>Mutual</i></b></h2><h2><b>1. Creating</b>:</h2><h2>1. <a href=/c><b>Clean</b></a></h2>"
        "<h2>Not <b>all</b></h2><h2><b>Ask</b> <i>why</i></h2>",
        "## *Mutual*\n\n## 1. Creating:\n\n## 1. [Clean](https://site.example/c)\n\n"
        "## Not **all**\n\n## **Ask** *why*",
    ),
    "links to their own text": (
        "<a href=https://e.example/a>https://e.example/a</a>"
        "<p><a href=https://e.example/b>https://e.example/b<img src=/new.jpg alt=new></a></p>",
        "<https://e.example/a>\n\n"
        "[https://e.example/b![new](https://site.example/new.jpg)](https://e.example/b)",
    ),
    "markup in alternative texts": (
        "<p>a<img src=/a.jpg alt='M<sup>es</sup> Roe &amp;amp; Doe'>"
        "<img src=/b.jpg alt='&amp;lt;p>One&amp;lt;br>two&amp;lt;/p>'>"
        "<img src=/c.jpg alt='List<String> in AT&amp;T'></p>",
        "a![Mes Roe & Doe](https://site.example/a.jpg)![One two](https://site.example/b.jpg)"
        "![List\\<String> in AT&T](https://site.example/c.jpg)",
    ),
    "icons": (
        "<p>a<img src=/x/plugins/wp-print/images/printer_famfamfam.gif alt=Print>"
        "<img src=/_next/static/media/zoom-in.f7dae02f.svg><img src=/Icons/email.svg>"
        "<img src=/img/social-icons/oval-1-facebook.png alt='facebook share'>"
        "<img src=/assets/loading.gif srcset='/b.jpg 2x' alt=B><img src=/assets/close-up.png alt=C>"
        "<img src=/assets/sharepoint.png alt=D><img src=/uploads/twitter.png alt=E>"
        "<img src=/themes/blueprint/logo-print.png alt=F><img src=/assets/twitter.jpg alt=G>"
        "<img src=/assets/twitter.png alt=H>"
        "<a href=/static/fb.png><img src=/static/fb.png></a><img src=/assets/twitter.png width=24 height=24 alt=I>"
        "<a href=https://twitter.com/loaf><span><img src=/static/twitter.png alt=J></span></a>"
        "<img src=/themes/loaf/twitter.png alt=K><img src=/themes/loaf/mail.png width=400 alt=L></p>",
        "a![B](https://site.example/b.jpg)![C](https://site.example/assets/close-up.png)"
        "![D](https://site.example/assets/sharepoint.png)![E](https://site.example/uploads/twitter.png)"
        "![F](https://site.example/themes/blueprint/logo-print.png)"
        "![G](https://site.example/assets/twitter.jpg)![H](https://site.example/assets/twitter.png)"
        "![](https://site.example/static/fb.png)![L](https://site.example/themes/loaf/mail.png)",
    ),
    "tasks": (
        "<ul><li><input type=checkbox checked disabled> done<li><label><input type=checkbox>open"
        "</label><li>plain</ul>",
        "- [x] done\n- [ ] open\n- plain",
    ),
    "start": ("<ol start=4><li>four<ul><li>x</ul><li>five</ol>", "4. four\n   - x\n5. five"),
    "two lists": ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
    "paragraphs in items": ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
    "definitions": ("<dl><dt>Term</dt><dt>Other</dt><dd>Meaning</dl>", "Term\n\nOther\n: Meaning"),
    "nested quotes": (
        "<blockquote>out<blockquote>in</blockquote></blockquote>",
        "> out\n>\n> > in",
    ),
    "figures": (
        "<figure><img src=/a.jpg alt=A><figcaption>The <b>A</b></figcaption></figure>"
        "<div class=wp-caption><img src=/b.jpg alt=B><p class=wp-caption-text>The B</p></div>",
        "![A](https://site.example/a.jpg)\n\nThe **A**\n\n![B](https://site.example/b.jpg)\n\nThe B",
    ),
    "breaks": ("<p>Roses<br>are red<br></p>", "Roses\\\nare red"),
    "videos": (
        '<p>See</p><iframe src="https://www.youtube-nocookie.com/embed/abcdefghijk?rel=0" title="A film">'
        "</iframe><iframe src=https://ads.example/x></iframe><video><source src=/v.mp4></video>",
        "See\n\n[A film](https://www.youtube.com/watch?v=abcdefghijk)\n\n"
        "[v.mp4](https://site.example/v.mp4)",
    ),
    "posts of any host": (
        "<p>See</p><iframe src='https://social.example/@ann/123/embed' title=Post></iframe>",
        "See\n\n[Post](https://social.example/@ann/123)",
    ),
    "pictures of characters": (
        "<p>Good <img class=emoji alt='🙂' src=https://s.example/1f642.svg> morning"
        "<img alt=';-)' src=/wink.gif> <img alt=:coffee: src=/coffee.gif> <img alt=A: src=/a.gif></p>",
        "Good 🙂 morning;-) :coffee: ![A:](https://site.example/a.gif)",
    ),
    "posts": (
        '<p>See</p><iframe src="https://platform.twitter.com/embed/Tweet.html?id=12"></iframe>'
        '<iframe src="https://www.facebook.com/v2.3/plugins/post.php?width=5&amp;'
        'href=https%3A%2F%2Fwww.facebook.com%2Fann%2Fposts%2F34"></iframe>',
        "See\n\n[twitter.com](https://twitter.com/i/status/12)\n\n"
        "[facebook.com](https://www.facebook.com/ann/posts/34)",
    ),
    "frames of buttons": (
        '<p>See</p><iframe src="https://platform.twitter.com/widgets/tweet_button.html?url=x"></iframe>'
        '<iframe src="https://www.facebook.com/plugins/like.php?href=http://a.example/"></iframe>',
        "See",
    ),
    "drop caps": ('<p><span style="float:left">W</span>hen it rains</p>', "When it rains"),
    "lazy pictures": (
        '<img src="data:image/gif;base64,R0" data-src="www.pics.example/a.jpg" alt=A>'
        '<p><img src=/blank.gif data-original=/b.jpg alt=B></p><p><img src="/s.jpg" alt=C'
        ' data-srcset="/c1.jpg 400w, /c2.jpg 800w"></p><p><img src=/lazy_placeholder.gif alt=D>'
        "<img src=/placeholder.png srcset=/e.jpg alt=E></p>",
        "![A](https://www.pics.example/a.jpg)\n\n![B](https://site.example/b.jpg)\n\n"
        "![C](https://site.example/c2.jpg)\n\n![E](https://site.example/e.jpg)",
    ),
    "lazy embeds": (
        "<p>See</p><img src=/a.jpg alt=A data-src='<iframe src=\"/player\"></iframe>'>",
        "See\n\n![A](https://site.example/a.jpg)",
    ),
    "emphasis that its characters end": (
        "<p><b>Note:</b>this, <b>重要。</b>次, は<b>「語」</b>を, <b>“</b>a”, a<i>b</i><b>c</b>, "
        "<i><b>both</b></i>, <b> spaced </b>out</p>",
        "**Note**:this, **重要**。次, は「**語**」を, “a”, a<em>b</em><strong>c</strong>, ***both***, "
        "**spaced** out",
    ),
    "emphasis in pieces": (
        "<p><b>Up to </b><a href=/x><b>57%</b></a><b> on</b>, <b>not </b><i><b>any</b></i><b> error</b>, <i><b>a</b> b</i></p>",
        "**Up to** [**57%**](https://site.example/x) **on**, **not *any* error**, ***a** b*",
    ),
    "bold headings": (
        "<h2><b>Part one</b></h2><h3><a href=/x><b>Two</b></a></h3><h3><b>3.</b> Three</h3>",
        "## Part one\n\n### [Two](https://site.example/x)\n\n### **3.** Three",
    ),
    "rules and pictures without what they separated": (
        "<hr><p>One</p><hr><hr><p><img src=/a.jpg?w=9></p><div><img src=/a.jpg></div><p>Two</p><hr>",
        "One\n\n***\n\n![](https://site.example/a.jpg?w=9)\n\nTwo",
    ),
    "pictures in links": (
        "<a href=/a.jpg?full><img src=/a.jpg></a><p>Text</p><a href='https://x.com/intent?u="
        "https%3A%2F%2Fwww.site.example%2Fa'><img src=/x.png></a>"
        "<a href='https://maps.example/?q=https://other.example/b'><img src=/map.png></a><p>More</p><a href='mailto:?subject=A'><img src=/m.png></a>",
        "![](https://site.example/a.jpg)\n\nText\n\n"
        "[![](https://site.example/map.png)](https://maps.example/?q=https://other.example/b)\n\nMore",
    ),
    "pictures of other purposes": (
        "<p>Fine <img src=/1f609.png alt='😉'><img src=https://ads.g.doubleclick.net/ad?x>"
        "<img src=https://secure.gravatar.com/avatar/1 alt=Ann></p>",
        "Fine 😉",
    ),
    "copies of a picture": (
        "<p><img src=/a.jpg alt=a.jpg><img src=/a.jpg.webp></p><p>Text</p><p><img src=/a.jpg?w=90></p>",
        "![](https://site.example/a.jpg)\n\nText",
    ),
    "pictures before text": (
        "<div><img src=/a.jpg> One <img src=/b.jpg> two</div><ul><li><img src=/c.jpg> three</ul>",
        "![](https://site.example/a.jpg)\n\nOne ![](https://site.example/b.jpg) two\n\n"
        "- ![](https://site.example/c.jpg) three",
    ),
    "formats without text": (
        "<h2><img src=/a.jpg></h2><p>A</p><p><b><img src=/b.jpg></b></p><ul><li><ul><li>x</ul></ul>",
        "![](https://site.example/a.jpg)\n\nA\n\n![](https://site.example/b.jpg)\n\n- x",
    ),
    "parentheses in addresses": (
        "<p><a href='/a_(b)'>A</a> <a href='/c_(d'>C</a></p>",
        "[A](https://site.example/a_(b)) [C](https://site.example/c_\\(d)",
    ),
    "brackets": (
        "<p>[S]ome said [...] and [sic]: <i>x</i> [a](b) [x] [^n] [[w]] [go on]</p>",
        "[S]ome said [...] and \\[sic]: *x* \\[a](b) \\[x] \\[^n] \\[[w]] [go on]",
    ),
    "links in emphasis": (
        "<p><em>By <a href=/x>Ann</a> and <a href=/y>Bob</a></em>, un<b><a href=/z>tie</a></b>d</p>",
        "*By [Ann](https://site.example/x) and [Bob](https://site.example/y)*, "
        "un[**tie**](https://site.example/z)d",
    ),
    "links around blocks": (
        "<a href=/s><img src=/a.jpg alt=A><h3>Head</h3><p>Text</p></a>",
        "![A](https://site.example/a.jpg)\n\n### [Head](https://site.example/s)\n\nText",
    ),
    "marks without their notes": (
        '<p>A<sup><a href="#n1">[6]</a></sup> b<a class=footnote-anchor href="#n2">7</a></p>',
        "A<sup>\\[6\\]</sup> b<sup>7</sup>".replace("6\\]", "6]"),
    ),
    "readings": (
        "<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です</p>",
        "漢(かん)字(じ)です",
    ),
    "captions above": (
        "<figure><figcaption>a.py</figcaption><pre>x</pre></figure>",
        "a.py\n\n```\nx\n```",
    ),
    "two breaks": ("<div>One.<br>\n<br>Two.<br>three</div>", "One.\n\nTwo.\\\nthree"),
    "what is not seen": ("<p>soft\u00adware, zero\u200bwidth\ufeff</p>", "software, zerowidth"),
    "joiners alone": (
        "<p>&zwj;</p><h2>&zwnj;</h2><p>One.<br><br>&zwj;<br><br>Two.</p><ul><li><b>&zwj;</b>three"
        "<li><b>&zwj;</b></ul><p>👩<b>\u200d</b>💻 and می\u200cروم</p>",
        "One.\n\nTwo.\n\n- \u200dthree\n\n👩\u200d💻 and می\u200cروم",
    ),
    "sets of pictures": (
        '<p><img srcset="/a,1.jpg 400w,/a,2.jpg 800w" alt=A></p><picture><source srcset="/s.webp 1x,'
        ' /l.webp 2x"><img alt=B></picture><p><img class=lazy data-lazy=/c.jpg src=/ph.gif alt=C>'
        "<noscript><img src=/c.jpg alt=C></noscript></p>",
        "![A](https://site.example/a,2.jpg)\n\n![B](https://site.example/l.webp)\n\n"
        "![C](https://site.example/c.jpg)",
    ),
    "first numbers": ("<ol><li value=5>five<li>six</ol>", "5. five\n6. six"),
    "signs in words": (
        "<p>snake_case, _x_, AT&amp;T, &amp;amp; [1], [a](b)</p>",
        "snake_case, \\_x\\_, AT&T, \\&amp; [1], \\[a](b)",
    ),
    "sections with headings": (
        "<p id=top><a href='#a'>A</a></p><div id=a><h2>A</h2><p>Apple.</p><a href='#top'>Top</a></div>",
        "[A](https://site.example/a#a)\n\n## A\n\nApple.\n\n[Top](https://site.example/a#top)",
    ),
    "adjacent phrases": (
        "<p><code>git add</code> <code>git push</code>, <code>a<span>b</span></code>, <q>x</q><q>y</q>, <sup>2</sup><sup>3</sup></p>",
        "`git add` `git push`, `ab`, “x”“y”, <sup>2</sup><sup>3</sup>",
    ),
    "breaks in code": ("<p><code>cd /tmp<br>make</code></p>", "`cd /tmp`\\\n`make`"),
    "terms without letters": (
        "<dl><dt>+</dt><dd>plus</dd><dt><a href=/p><img src=/a.jpg alt=A></a></dt><dd>lid</dd></dl>",
        "\\+\n: plus\n\n[![A](https://site.example/a.jpg)](https://site.example/p)\n: lid",
    ),
    "definitions before terms": (
        "<dl><dd>alone</dd><dd>two</dd><dt>t</dt><dd>three</dd></dl>",
        "alone\n\ntwo\n\nt\n: three",
    ),
    "lists in lists from another number": (
        "<ul><li>four<ol start=4><li>x</ol><li>five<ol><li>y</ol></ul>",
        "- four\n\n  4. x\n\n- five\n\n  1. y",
    ),
    "signs as marks without their notes": (
        "<p>A<sup><a href='#n1'>*</a></sup> b<a class=footnote-ref href='#n2'>†</a></p>",
        "A<sup>\\*</sup> b<sup>†</sup>",
    ),
    "players with a text for old browsers": (
        "<p>a</p><video controls>Old <b>browser</b>.</video><audio src=/a.mp3>No sound.</audio>",
        "a\n\n[a.mp3](https://site.example/a.mp3)",
    ),
    "natural languages of preformatted text": (
        "<pre lang=de>x</pre><pre lang=PHP>y</pre>",
        "```\nx\n```\n\n```php\ny\n```",
    ),
    "carets before links": ("<p>2^<a href=/x>x</a></p>", "2\\^[x](https://site.example/x)"),
    "parentheses after labels": (
        "<p>A<sup id=r><a href='#n'>1</a></sup></p><p id=n><a href='#r'>1</a>) Note</p>",
        "A[^1]\n\n[^1]: Note",
    ),
    "marks before code": (
        "<ul><li><input type=checkbox><pre>x</pre></ul><p>A<sup id=r><a href='#n'>1</a></sup></p>"
        "<ol><li id=n><pre>y</pre><a href='#r'>↩</a></ol>",
        "- [ ]\n  ```\n  x\n  ```\n\nA[^1]\n\n[^1]:\n    ```\n    y\n    ```",
    ),
    "sets of pictures as addresses": (
        "<p><img src='/a.jpg 1x, /b.jpg 2x' alt=A></p>",
        "![A](https://site.example/b.jpg)",
    ),
    "bullets in items": (
        "<ul><li>• a<li><p>●<b>b</b></p><li>•<li>•<br>d<li>●●○<li>• [ ] e</ul><ol><li>• c</ol>"
        "<ul><li><input type=checkbox><label>▢</label> f</ul>",
        "- a\n- **b**\n- •\n- d\n- ●●○\n- \\[ ] e\n\n1. c\n\n- [ ] f",
    ),
    "bullets in paragraphs": (
        "<p>Needs:<br>• flour<br>•<b>salt</b><br>Steps:</p><p>• mix</p><p>• <i>bake</i></p><p>•</p>"
        "<p>●●○ good</p><p>a<br>• ▪</p><ol><li>c<br>• d</ol><p>e • f</p><p>• <b>g</b> <img src=/g.jpg></p>",
        "Needs:\n\n- flour\n- **salt**\n\nSteps:\n\n- mix\n- *bake*\n\n•\n\n●●○ good\n\na\\\n• ▪\n\n1. c\n"
        "   - d\n\ne • f\n\n- **g** ![](https://site.example/g.jpg)",
    ),
    "lists of a heading or of pictures": (
        "<ul><li><h3>Mix</h3></ul><p>Well.</p><ul><li><img src=/a.jpg><li><a href=/b><img src=/b.jpg></a></ul>"
        "<ul><li><h3>A</h3><li><h3>B</h3></ul><ul><li><img src=/c.jpg>C<li><img src=/d.jpg></ul>",
        "### Mix\n\nWell.\n\n![](https://site.example/a.jpg)\n\n"
        "[![](https://site.example/b.jpg)](https://site.example/b)\n\n- ### A\n\n- ### B\n\n"
        "* ![](https://site.example/c.jpg)C\n* ![](https://site.example/d.jpg)",
    ),
    "links to hosts": (
        "<p><a href=rye.example.com/a>a</a> <a href=www.rye.example>b</a> <a href=bread.html>c</a> "
        "<a href=rye.py>d</a> <a href=/rye.com>e</a></p>",
        "[a](https://rye.example.com/a) [b](https://www.rye.example) [c](https://site.example/bread.html) "
        "[d](https://site.example/rye.py) [e](https://site.example/rye.com)",
    ),
    "logos": (
        "<p>a<a href=/><img src=/logo.svg></a><a href=/b><img src=/b.jpg></a>"
        "<a href=https://rye.example/><img src=/c.jpg></a></p>",
        "a[![](https://site.example/b.jpg)](https://site.example/b)"
        "[![](https://site.example/c.jpg)](https://rye.example/)",
    ),
    "pictures that are named by parameters": (
        "<p><img src='/show?src=a.jpg&w=9'></p><p><img src='/show?src=b.jpg&w=9'></p>"
        "<p><img src='/show?src=a.jpg&w=8'></p>",
        "![](https://site.example/show?src=a.jpg&w=9)\n\n![](https://site.example/show?src=b.jpg&w=9)",
    ),
    "text that was encoded twice": (
        "<p>CafÃ© <b>crÃ¨me</b>, â€œhiâ€\x9d, 5Â\xa0kg</p><p>AMANHÃ…, «AMANHû, CAFÉ…</p>",
        "Café **crème**, “hi”, 5 kg\n\nAMANHÃ…, «AMANHû, CAFÉ…",
    ),
    "emphasis in strong links": (
        "<p><b><a href=/x><i>Rye</i></a></b> is <b><i>the</i></b> best</p>",
        "[***Rye***](https://site.example/x) is ***the*** best",
    ),
    "links to source code": (
        "<dl class=py><dt>class <b>Loaf</b><a href=/loaf.py><span class=viewcode-link>[source]</span></a>"
        "</dt><dd>A loaf.</dl>",
        "class **Loaf**\n: A loaf.",
    ),
    "quotations of forums": (
        "<div class='bbCodeBlock bbCodeQuote'><aside><div class='attribution type'>Ada said:</div>"
        "<blockquote class=quoteContainer><div class=quote>It hums.</div></blockquote></aside></div>Yes."
        "<div class=bbcode_quote><div class=bbcode_postedby>Originally Posted by <b>Ada</b></div>"
        "<div class=message>It hums.<blockquote>Hum</blockquote></div></div>",
        "> Ada said:\n>\n> It hums.\n\nYes.\n\n> Originally Posted by **Ada**\n>\n> It hums.\n>\n> Hum",
    ),
    "cells, items and links of quotations": (
        "<table><tr><td>a<td>b<tr class=bbcode_quote><td class=bbcode_quote>c<td>d</table>"
        "<ol><li class=bbcode_quote>e</ol><p>f <a class=bbcode_quote href=/x>g</a></p>",
        "| | |\n| --- | --- |\n| a | b |\n| c | d |\n\n1. e\n\nf [g](https://site.example/x)",
    ),
    "texts of posts": (
        "<blockquote class='messageText ugc'>It <b>hums</b>.<blockquote>Hum</blockquote></blockquote>"
        "<blockquote class='postcontent restore'>Yes.</blockquote>",
        "It **hums**.\n\n> Hum\n\nYes.",
    ),
    "copies in other blocks": (
        "<figure><noscript><img src=/a.jpg></noscript><div><img src=/lazy.svg data-src=/a.jpg></div>"
        "<figcaption>Rye <noscript><img src=/b.jpg></noscript></figcaption></figure>"
        "<p><a href=/x><img src=/c.jpg></a></p><p>Text</p><p><a href=/x><img src=/c.jpg></a></p>"
        "<p><a href=/y><img src=/c.jpg></a></p>",
        "![](https://site.example/a.jpg)\n\nRye ![](https://site.example/b.jpg)\n\n"
        "[![](https://site.example/c.jpg)](https://site.example/x)\n\nText\n\n"
        "[![](https://site.example/c.jpg)](https://site.example/y)",
    ),
    "thumbnails": (
        "<p><img src=/a-600x900.jpg></p><p><img src=/a-100x150.jpg></p><p><img src=/b-100x150.jpg></p>"
        "<p><img src=/b.jpg></p><p><img src=/b-600x900.jpg></p><p>One <img src=/a-100x150.jpg></p>",
        "![](https://site.example/a-600x900.jpg)\n\n![](https://site.example/b-100x150.jpg)\n\n"
        "![](https://site.example/b.jpg)\n\nOne ![](https://site.example/a-100x150.jpg)",
    ),
    "pictures that wait": (
        "<p><img src=/img/loading.svg alt=A><img src=/i/ajax-loader-2x.gif alt=B><img src=/load.png alt=C></p>"
        "<img src=/1x1.png data-srcset='{&quot;992&quot;: {&quot;src&quot;: &quot;/d.jpg&quot;}}' alt=D>"
        "<picture><source media='(max-width: 600px)' srcset=/small.jpg><source srcset=/e.jpg>"
        "<img src='data:image/gif;base64,R0' alt=E></picture>"
        "<img data-src='{&quot;src&quot;: &quot;/d.jpg&quot;}' data-srcset='[&quot;/d.jpg 1x&quot;]' src=/f.jpg alt=F>",
        "![C](https://site.example/load.png)\n\n![E](https://site.example/e.jpg)![F](https://site.example/f.jpg)",
    ),
    "encoded addresses": (
        "<pre>to=<a href=/cdn-cgi/l/email-protection class=__cf_email__ data-cfemail=42232c2c022e2d23246c273a232f322e27>"
        "[email&#160;protected]</a>;</pre><p><a href='/cdn-cgi/l/email-protection#42232c2c022e2d23246c273a232f322e27'><span "
        "data-cfemail=42232c2c022e2d23246c273a232f322e27>[email&#160;protected]</span></a>, <a href=/cdn-cgi/l/email-protection "
        "data-cfemail=42232c2c022e2d23246c273a232f322e27>[email&#160;protected]</a>, <a href=/ann "
        "data-cfemail=42232c2c022e2d23246c273a232f322e27>Ann</a>, <i data-cfemail=4>[email]</i></p>",
        "```\nto=ann@loaf.example;\n```\n\n[ann@loaf.example](mailto:ann@loaf.example), "
        "[ann@loaf.example](mailto:ann@loaf.example), [Ann](https://site.example/ann), *\\[email]*",
    ),
    "texts and addresses that are not encoded": (
        "<p data-cfemail=42232c2c022e2d23246c273a232f322e27>[1] Rye</p><p><a href=/cdn-cgi/l/email-protection#42234802>"
        "Ann</a> <i data-cfemail=422343022e2d2324>[email]</i></p>",
        "[1] Rye\n\n[Ann](https://site.example/cdn-cgi/l/email-protection#42234802) *\\[email]*",
    ),
    "lines like definitions": ("<p>Rye<br>: a<br>~ b</p>", "Rye\\\n\\: a\\\n\\~ b"),
    "dollars": ("<p>From $5 to $6.</p><p>Only $5.</p>", "From \\$5 to \\$6.\n\nOnly $5."),
}  # fmt: skip


def constructs() -> dict[str, tuple[str, str]]:
    """All constructs by name, each as HTML and Markdown."""
    pairs = {f"code {name}": (source, JAVA) for name, source in CODE.items()}
    pairs |= {f"table {name}": pair for name, pair in TABLES.items()}
    pairs |= {
        f"formula {name}": (f"<p>So {source} holds.</p>", f"So ${TEX}$ holds.")
        for name, source in FORMULAS.items()
    }
    pairs |= {
        f"note {name}": (source, "Claim[^1].\n\n[^1]: Source.") for name, source in NOTES.items()
    }
    return pairs | {f"small {name}": pair for name, pair in SMALL.items()}


ASIDES = {
    "sphinx": "<div class='admonition note'><p class=admonition-title>Note</p><p>Dry wood.</p></div>",
    "docusaurus": "<div class='theme-admonition alert alert--info'><div class=heading>Note</div>"
    "<div class=content><p>Dry wood.</p></div></div>",
    "github": "<div class='markdown-alert markdown-alert-note' dir=auto><p class=markdown-alert-title>"
    "Note</p><p>Dry wood.</p></div>",
    "details": "<details class=note open><summary>Note</summary><p>Dry wood.</p></details>",
    "bootstrap": "<div class='callout callout-info'><h4>Note</h4>Dry wood.</div>",
    "aside": "<aside class=tip><strong>Note</strong><p>Dry wood.</p></aside>",
    "asciidoctor": "<div class='admonitionblock note'><table><tr><td class=icon><div class=title>Note"
    "</div></td><td class=content>Dry wood.</td></tr></table></div>",
}

TABS = {
    "aria": "<div role=tablist><button role=tab aria-controls=a>Linux</button><button role=tab "
    "aria-controls=b>macOS</button></div><div id=a>One.</div><div id=b>Two.</div>",
    "labelledby": "<div role=tablist><a id=x role=tab>Linux</a><a id=y role=tab>macOS</a></div>"
    "<div><section role=tabpanel aria-labelledby=x>One.</section><section role=tabpanel "
    "aria-labelledby=y>Two.</section></div>",
    "bootstrap": "<ul><li><a data-bs-toggle=tab href='#a'>Linux</a></li><li><a data-bs-toggle=tab "
    "href='#b'>macOS</a></li></ul><div><div id=a>One.</div><div id=b>Two.</div></div>",
    "radio": "<div><input type=radio id=a><label for=a>Linux</label><div>One.</div><input type=radio "
    "id=b><label for=b>macOS</label><div>Two.</div></div>",
    "material": "<div class=set><input type=radio id=a name=t><input type=radio id=b name=t><div>"
    "<label for=a>Linux</label><label for=b>macOS</label></div><div><div>One.</div><div>Two.</div>"
    "</div></div>",
}
