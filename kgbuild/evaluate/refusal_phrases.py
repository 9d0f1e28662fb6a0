"""The words of refusals: "It slips my mind", "I'd suggest checking a database".

Each is a regular expression of normalised text: in lower case, without punctuation and articles.
"""

_SOURCE = (
    r"(?:database|sources?|notes|records?|files|memory|knowledge|training(?: data)?|data|books)"
)
_DETAIL = (
    r"(?:this|that|it|(?:these|those|any|such|his|her|its|their)(?: \S+){0,4}"
    r"|\S+ (?:date|place|name))"
)

PHRASES = (
    rf"(?:outside|beyond|not (?:in|within|part of)|missing (?:in|from)|absent from) (?:of )?"
    rf"(?:what i (?:know|have|can)|anything i (?:know|have)|(?:my|any of my) (?:\S+ )?{_SOURCE})",
    r"(?:isnt|is not|arent|not) (?:\S+ )?(?:covered|included|contained|mentioned|listed) (?:by|in)"
    rf" (?:anything|any|what|my|{_SOURCE})",
    r"(?:detail|fact|information|date|place) is missing",
    r"(?:have |ive |theres )?no info(?:rmation)?(?: (?:on|about|for|regarding|here|available"
    r"|at all))?",
    r"(?:ive )?(?:got |have )nothing(?: (?:on|about|for) \S+(?: \S+)?)?",
    r"(?:isnt|is not|not) (?:something|anything|thing|one) i(?:ve| have)? (?:\S+ )?"
    r"(?:memori[sz]ed|learned|learnt|know|can|could|retained|stored|track)",
    r"(?:have )?never (?:learned|learnt|knew|heard|read|came across|come across|found out)",
    r"(?:havent|have not|didnt|did not) (?:come|came) across",
    r"(?:havent|have not) (?:foggiest|faintest|slightest|clue|idea)",
    r"no comment",
    r"(?:id |had |i had )?better not (?:to )?(?:answer|say|guess|speculate|name|give|commit)",
    r"(?:wont|will not) (?:answer|say|guess|speculate|name|pick)",
    r"(?:id|would|ill|will|youd|you) (?:have|need) to (?:look (?:this|that|it|him|her|them) up"
    r"|check|search|google|research|ask)",
    r"skip|null|not found|error (?:no|not) \S+(?: \S+)?",
    r"any \S+ i (?:gave|give|named|name|offered|offer)(?: you)? would be"
    r" (?:invented|made up|guess|guesswork|invention|fabricated|speculation)",
    r"(?:it )?would be (?:irresponsible|wrong|dishonest|misleading) (?:to|of me to) "
    r"(?:guess|say|answer|name|give|claim)",
    r"(?:have|had|need) to pass(?: on \S+(?: \S+)?)?",
    r"(?:my )?(?:memory|brain|mind|recollection)s? (?:fails|is failing|is blank|is|has|lets|went"
    r"|goes)"
    r"(?: \S+){0,3}",
    r"(?:my )?minds blank",
    r"(?:it )?(?:slips|slipped|has slipped) (?:my mind|me)",
    r"(?:its |it is |is )?not coming (?:back )?to me",
    r"(?:(?:i|ive) )?(?:forget|forgot|forgotten|have forgotten)(?: (?:it|that|this|which|where"
    r"|who|when)"
    r"(?: \S+){0,8})?",
    r"used to know(?: \S+){0,8}",
    rf"(?:do not|dont) (?:possess|track|hold|store|carry|retain) {_DETAIL}",
    r"(?:details?|facts?|information|sources|records) (?:\S+ ){0,5}(?:are|is) (?:\S+ )?"
    r"(?:scarce|sparse|scant|lacking|lost|sketchy|incomplete)",
    r"(?:very |too )?little is (?:\S+ )?(?:known|recorded|documented)(?!.* in \S+ where )",
    r"(?:\S+ ){0,6}(?:is|thats|remains) (?:complete |real |total )?mystery(?: to (?:me|us"
    r"|everyone))?",
    r"(?:god|heaven|goodness|lord|who) knows",
    r"(?:its |is |that is |thats )?(?:too|rather|quite) obscure(?: (?:for me|of question|one))?",
    r"(?:am )?not (?:right|best|good|reliable) (?:\S+ )?(?:source|person|one)(?: (?:for|to) .*)?",
    r"(?:(?:please|better|id|id suggest|id recommend|i suggest|i recommend|you (?:should|could"
    r"|would"
    r"|might|may|will|can|need to|would have to|might want to|may want to)|try|suggest"
    r"|recommend) )+"
    r"(?:look(?:ing)? (?:it|this|that) up|check(?:ing)?|ask(?:ing)?|consult(?:ing)?|search(?:ing)?"
    r"|see|refer(?:ring)? to|contact(?:ing)?|have to (?:look|check)|to (?:look|check"
    r"|consult))(?: .*)?",
    r"not something i (?:can|could|would)(?: .*)?",
    r"(?:that ones|this ones|that one is|its|this is|thats) (?:\S+ )?(?:beyond|above|over) "
    r"(?:me|my head|my pay grade)",
    r"(?:that |this )?(?:question |one )?(?:(?:youve|you have) )?(?:stumps|stumped|beats"
    r"|baffles) me",
    r"(?:you )?got me (?:there|on \S+(?: \S+)?)",
    r"(?:am |im )?(?:in dark|at loss|stumped|clueless|ignorant|no wiser)(?: .*)?",
    r"(?:wont|will not|would not|wouldnt|cant|dont want to|do not want to) (?:want to )?"
    r"(?:hazard|venture|risk|make|mislead|invent|fabricate)(?: .*)?",
    r"(?:would )?need (?:more|further|additional|some) (?:context|details?|information)(?: .*)?",
    r"(?:it |that |this )?depends on (?:which|who|what) .*",
    rf"(?:my )?{_SOURCE} (?:doesnt|does not|dont|do not|didnt|never) (?:cover|reach|extend"
    rf"|include|tell"
    r"|say)(?: .*)?",
    r"not that i know(?: of)?",
    r"(?:(?:his|her|its|their|that|this|where|when|who|what|which|date|year|place|day)"
    r"(?: \S+){0,5} )?(?:i|we) "
    r"(?:(?:really|honestly|simply|just|truly) )?(?:dont|do not|cannot|cant|couldnt)"
    r" (?:really )?(?:know|recall|remember|say|tell)",
    r"(?:his|her|its|their|where|when|who|whom|what|which)(?: \S+){0,6} (?:is|was|are|were)"
    r" (?:\S+ )?(?:beyond|above|over) (?:me|my (?:head|pay grade|knowledge))",
    r"(?:id|would) (?:really )?(?:love|like) to know(?: (?:it|that|this))?"
    r"(?: (?:too|myself|as well))?",
    r"what i know (?:\S+ ){0,6}(?:ends|stops)(?: .*)?",
    r"(?:cannot|can not|cant|couldnt|could not) (?:be|feel) (?:\S+ )?(?:sure|certain|confident)"
    r"(?: enough)?(?= (?:about|of|on|when|where|who|what|which|whether|here|and|so)\b|$)",
    r"(?:(?:id|would|ill|will|better|must) )?(?:(?:rather|prefer to|like to|have to|choose to) )?"
    r"leave (?:it|(?:this|that|your)(?: (?:one|question|part|field))?|question|answer) "
    r"(?:open|blank|unanswered|undecided)",
    r"no (?:\S+ ){1,4}(?:for|of) (?:any|either|one) (?:one )?of (?:them|these|those)",
    r"plead ignorance",
    r"(?:\S+ ){0,4}(?:escapes|eludes|evades) me",
    # In other languages.
    r"(?:\S+ ){0,3}(?:ne sais pas|connais pas (?:la reponse|\S+)|pas (?:cette|d"
    r"|de) ?information)(?: .*)?",
    r"(?:\S+ ){0,3}(?:weiss (?:es |das |ich (?:es |das )?)?(?:leider )?nicht|keine (?:ahnung"
    r"|angaben"
    r"|information(?:en)?))(?: .*)?",
    r"(?:\S+ ){0,3}(?:no (?:lo )?se|ni idea|no tengo (?:esa |ninguna )?informacion"
    r"|desconozco)(?: .*)?",
    r"(?:\S+ ){0,3}(?:non (?:lo )?so|nessuna idea|non ho (?:questa "
    r"|alcuna )?informazion[ei])(?: .*)?",
    r"(?:\S+ ){0,3}(?:nao sei|nao tenho (?:essa |esta )?informacao|nie wiem|не знаю"
    r"|weet (?:ik )?(?:het )?niet|aucune idee)(?: .*)?",
    r"わかりません|知りません|不知道|我不知道|모르겠습니다",
)
