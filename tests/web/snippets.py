"""Small pieces of HTML, each a question of role and name; judged by Chromium's accessibility tree."""

SNIPPETS = """
<button>Plain</button>
<button aria-label="Labelled">x</button>
<button title="Titled"></button>
<button><span>Two</span> <span>spans</span></button>
<button><span>No</span><span>gap</span></button>
<button><span style="display:block">Block</span><span>next</span></button>
<button style="display:flex"><span>Flex</span><span>items</span></button>
<button>  lots   of
   space </button>
<button><img alt="Picture" src="data:,"> and text</button>
<button><svg width=10 height=10><title>Svg title</title></svg></button>
<button><i aria-hidden=true>icon</i>Save</button>
<button><span style="display:none">hidden</span>Shown</button>
<button><span style="visibility:hidden">ghost</span>Seen</button>
<button><span class=sr>Screen reader</span></button>
<button aria-labelledby="ref1 ref2">z</button><span id=ref1>First</span><span id=ref2 hidden>second hidden</span>
<button id=self aria-label="Remove" aria-labelledby="self file">x</button><span id=file>Report.pdf</span>
<button aria-describedby=ref1>Described</button>
<button class=pseudo>Body</button>
<button disabled>Disabled</button>
<button aria-disabled=true>Aria disabled</button>
<button aria-pressed=true>Pressed</button>
<button aria-expanded=false aria-haspopup=menu>Menu button</button>
<button><div>Line</div><div>two</div></button>
<button>Amp &amp; <b>bold</b>ed</button>
<button value="ignored value">With value</button>
<input type=submit><input type=reset><input type=button value="Input button"><input type=submit value="Go now">
<input type=image alt="Image button" src="data:,"><input type=button title="Only title">
<a href="#x">Link</a><a href="#y"><img alt="Logo" src="data:,"></a><a href="#z" aria-label="Named link">…</a>
<a href="#t" title="Tip">Tipped</a><a href="#u" title="Just tip"></a><a>not a link</a><a href="#v"><span>Deep <em>link</em></span></a>
<a role=button href="#w">Link as button</a><a tabindex=0 role=link>Fake link</a>
<label>Wrapped <input></label><label for=l1>For label</label><input id=l1>
<label for=l2>One</label><label for=l2>Two</label><input id=l2>
<label>Amount <input type=number value=3> pieces</label>
<label for=l3>Flash the screen <input id=l3b value=5 aria-label="times inner"> times</label><input type=checkbox id=l3>
<input placeholder="Place"><input title="Title only"><input title="Both" placeholder="Second"><input aria-label="Aria in">
<input aria-placeholder="Aria place"><input type=email placeholder=mail><input type=search aria-label=Find><input type=tel aria-label=Tel>
<input type=url aria-label=Url><input type=password aria-label=Secret><input type=range aria-label=Range><input type=number aria-label=Num>
<input type=date aria-label=Date><input type=datetime-local aria-label=DateTime><input type=month aria-label=Month><input type=week aria-label=Week>
<input type=time aria-label=Time><input type=color aria-label=Colour><input type=file aria-label=File>
<label>Upload <input type=file></label><input list=dl aria-label=Listed><datalist id=dl><option>x</datalist>
<label><input type=checkbox> Check me</label><label><input type=radio name=r> Radio me</label><input type=checkbox role=switch aria-label="Switch it">
<textarea aria-label=Area>text</textarea><label>Notes<textarea></textarea></label>
<select aria-label=Single><option>A</option><option label="Labelled option">x</option></select>
<select aria-label=Multi multiple><option>M1</option><option>M2</option></select><select aria-label=Sized size=3><option>S1</option></select>
<label>Choose <select><option>Opt<option selected>Picked</select></label>
<div role=button tabindex=0>Div button</div><div role=link tabindex=0>Div link</div><div role=checkbox tabindex=0 aria-checked=mixed>Div check</div>
<div role=radio tabindex=0 aria-checked=true>Div radio</div><div role=switch tabindex=0 aria-checked=false>Div switch</div>
<div role=slider tabindex=0 aria-valuenow=4 aria-label="Div slider"></div><div role=spinbutton tabindex=0 aria-valuenow=2 aria-label="Div spin"></div>
<div role=textbox contenteditable aria-label="Div text">val</div><div role=textbox aria-multiline=true contenteditable aria-label="Div area">val</div>
<div role=searchbox contenteditable aria-label="Div search"></div><div role=combobox tabindex=0 aria-label="Div combo" aria-expanded=false>Val</div>
<div role=listbox tabindex=0 aria-label="Div list"><div role=option>Opt 1</div><div role=option aria-selected=true>Opt 2</div></div>
<div role=menu><div role=menuitem tabindex=-1>Item</div><div role=menuitemcheckbox aria-checked=true tabindex=-1>Item check</div><div role=menuitemradio tabindex=-1>Item radio</div></div>
<div role=tablist><button role=tab aria-selected=true>Tab 1</button><div role=tab tabindex=-1>Tab 2</div></div>
<div role=tree><div role=treeitem tabindex=0>Node 1</div><div role=treeitem>Node 2</div></div>
<details><summary>More info</summary>Body</details><details open><summary><b>Open</b> info</summary><button>In details</button></details>
<div role="invalid button" tabindex=0>Fallback role</div><button role=presentation>Still a button</button><button role=none>Also button</button>
<h2 role=button tabindex=0>Heading button</h2><button role=link>Button link</button><button role=tab>Button tab</button>
<fieldset disabled><button>In fieldset</button><input aria-label="In disabled"></fieldset>
<fieldset><legend>Legend</legend><input type=radio name=f aria-label=F1></fieldset>
<button aria-label=" ">Blank label</button><button aria-labelledby=nosuch>Missing ref</button><button aria-label="">Empty label</button>
<label for=la>Label text</label><button id=la>Labelled button</button>
<span id=lt>Outside</span><input aria-labelledby=lt title=t placeholder=p>
<div role=button tabindex=0><div>Nested <p>para</p></div></div><div role=button tabindex=0 aria-owns=owned>Owner</div><span id=owned>Owned</span>
<table><tr><td><button>In cell</button></td><td><a href="#c">Cell link</a></td></tr></table>
<div role=grid><div role=row><div role=gridcell tabindex=0>Grid cell</div></div></div>
<button><span role=img aria-label="Star">*</span></button><button><input aria-label="odd" value="5"></button>
<button><br>Break<br>line</button><button>&nbsp;Nbsp&nbsp;x</button><button><!-- c -->Comment</button>
<label>Pass <input type=password value=hunter2></label><label><span>Deep</span><div><input></div></label>
<a href="#card"><h3>Card</h3><p>Some text</p></a><a href="#li"><ul><li>List in link</li></ul></a>
<button style="text-transform:uppercase">upper</button><button dir=rtl>Rtl</button><button lang=de>Löschen</button>
<div role=separator tabindex=0 aria-valuenow=50 aria-label=Splitter></div><div role=scrollbar aria-valuenow=1 aria-controls=x tabindex=0 aria-label=Scroller></div>
<button><slot>Slot text</slot></button><button><abbr title="Long form">LF</abbr></button><button><code>code()</code></button>
<button><video></video>Video</button><button><select><option>Sel</select> in button</button>
<area shape=rect><map name=m><area shape=rect coords=0,0,9,9 href="#area" alt="Area link"></map><img usemap="#m" alt=Map src="data:," width=20 height=20>
<button popovertarget=pp>Popover</button><div id=pp popover>Popped</div>
<label for=lc><span>Nested</span> <i>label</i></label><input type=checkbox id=lc>
<button><math><mi>x</mi></math></button>
<div tabindex=0 role=group aria-label=FocusGroup>g</div><svg tabindex=0 role=button aria-label="Svg button" width=9 height=9></svg>
<a href="#svg"><svg width=9 height=9 role=img aria-label="Icon"></svg></a><svg width=30 height=9><a href="#in"><text>Svg link</text></a></svg>
"""

STYLE = """<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)}
.pseudo::before{content:"Before "}.pseudo::after{content:" after"}</style>"""
PAGE = f"<!doctype html><title>Snippets</title>{STYLE}<body>{SNIPPETS}</body>"
