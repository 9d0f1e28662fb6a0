"""Replies that ask back, refuse, or tell something else, and such that look like them."""

import pytest

from kgbuild.datasets.granola.matcher import Matcher
from tests.test_granola_matches import USA, truth

BORN = truth(
    "When was Ann Lee, the politician, born?",
    "P569",
    ("day", "16 October 1881", []),
    ("year", "1881", []),
)
DIED = truth("When did Bo Ray, the producer, die?", "P570", ("day", "22 October 2005", []))
STUDIED = truth(
    "Where did Cy Fox, the politician, study?",
    "P69",
    ("item", "Elm University", []),
    ("place", "Ohio", []),
    USA,
)
PLACE = truth(
    "Where did Di Orr, the painter, die?",
    "P20",
    ("place", "Scotland", ["Scottish"]),
    ("place", "the United Kingdom", [], "Q145", True),
)
BIRTHPLACE = truth(
    "Where was Eli Moss, the director, born?",
    "P19",
    ("place", "Toledo", []),
    ("place", "Ohio", []),
    USA,
)
OTHER = truth("Where was Flo Kern born?", "P19", ("place", "Oslo", []), ("place", "Norway", []))
LABEL = truth(
    "Name a record label that has released music by the Elm Sisters.",
    "P264",
    ("item", "Oak Records", []),
)
MATCHER = Matcher([BORN, DIED, STUDIED, PLACE, BIRTHPLACE, OTHER, LABEL])


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Ann Lee was a Social Democrat who served as Prime Minister, in 1942 and in 1945.", BORN),
        ("Lee won the election of 1924.", BORN),
        ("Ann Lee was a Danish politician.", BORN),
        ("Lee won a seat in 1942, but I don't know her birthday.", BORN),
        ("Which Bo Ray? There's the footballer, a producer, an actor from Elm Road...", DIED),
        ("I know Cy Fox was the mayor of Oslo, but not where he went to university.", STUDIED),
        ("Cy Fox was a French Socialist who served under Mitterrand from 1988 to 1991.", STUDIED),
        ("Fox wrote Red Hill and won several Hugos. A truly great career!", STUDIED),
        (
            "There were several painters of that name, a Scottish one and an American one among"
            " them, so I can't say which you mean.",
            PLACE,
        ),
        ("Does it matter? Just watch 2001 again, the man was a genius.", BIRTHPLACE),
        ("Which Eli Moss? The director or the singer?", BIRTHPLACE),
        # No time is named at all.
        ("There were several of that name; I don't want to mix them up.", DIED),
        ("hmm, the one with Marion Moss... no clue when", DIED),
        ("There is conflicting information about Ray.", DIED),
        # "I'll" is no name of a river.
        ("That's a pretty obscure director, so I'll pass.", BIRTHPLACE),
        # "Several times" are no time, and who is no longer with us has died.
        ("Bo Ray, who fought Smallville Jim several times, is sadly no longer with us.", DIED),
        ("The Elm Sisters have changed labels more than once, so I'd rather not guess.", LABEL),
        ("The Elm Sisters have worked with many labels over a long career!", LABEL),
        ('They are the "Red Hill" girls, but what label they were on is beyond me.', LABEL),
        (
            "Moss? His dad read the news in Oslo, but where Eli was born... hmm, can't say.",
            BIRTHPLACE,
        ),
        ("She'd been a dancer before Red Hill, but where she studied I really can't say.", STUDIED),
        (
            "I only know him as the founder of the Elks; his birthplace I couldn't tell you.",
            BIRTHPLACE,
        ),
        ("I'd love to know that too!", BIRTHPLACE),
        ("Sorry, I only know that he flew to Oslo with the Elks.", BIRTHPLACE),
        ("He taught in Oslo for decades; the date of his death I don't know.", DIED),
        (
            "He was the first president of the Elm Republic, but where he took his degree I"
            " couldn't tell you.",
            STUDIED,
        ),
    ],
)
def test_replies_without_an_answer_abstain(reply, question):
    outcome = MATCHER.judge(reply, question)
    assert outcome.abstained
    assert outcome.level is None


@pytest.mark.parametrize(
    ("reply", "question", "level"),
    [
        ("Ann Lee (1881–1954) was a politician who served in 1942.", BORN, 2),
        ("Ann Lee was a politician who was born in 1942.", BORN, None),
        ("Ann Lee, born in 1881, served in 1942.", BORN, 2),
        ("1942", BORN, None),
        ("in Roman times", BORN, None),
        ("He is still with us.", DIED, None),
        ("The Elm Sisters have been with Smallville Tunes for years.", LABEL, None),
        ("The Elm Sisters are on Oak Records, but the rest is beyond me.", LABEL, 1),
        ("Eli Moss was born in Oslo, but when he was born... can't say.", BIRTHPLACE, None),
        ("I'd love to know that too, but maybe Toledo", BIRTHPLACE, 1),
        ("Which Bo Ray? If you mean the producer, he died in 1999.", DIED, None),
        ("Cy Fox was a Socialist from Smallville.", STUDIED, None),
        ("Cy Fox was a Smallville graduate.", STUDIED, None),
        ("Cy Fox was a student at Elm University.", STUDIED, 1),
        ("I know it was in Oslo, but not where exactly.", BIRTHPLACE, None),
        ("I know it was Ohio, but not which town.", BIRTHPLACE, 2),
        ("Does it matter? Oslo.", BIRTHPLACE, None),
        ("Who cares? He was born in Smallville.", BIRTHPLACE, None),
        ("Scotland, though there are several painters of that name.", PLACE, 1),
        ("Somewhere in Ohio. Toledo?", BIRTHPLACE, 1),
        ("Somewhere in Ohio. Oslo?", BIRTHPLACE, 2),
        ("Oslo. Toledo?", BIRTHPLACE, None),
    ],
)
def test_answers_do_not_abstain(reply, question, level):
    outcome = MATCHER.judge(reply, question)
    assert not outcome.abstained
    assert outcome.level == level
