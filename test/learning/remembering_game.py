"""A game of memory: a card is shown once, while another role decides, and asked for later.

The player sees the card only while the host says hello. Then it decides twice about nothing, and
only then names the card: what it sees at that moment says nothing about it.
"""

REMEMBERING = """
(role player)
(role host)
(role random)

(type card red)
(type card green)
(type card blue)
(type card white)
(type word hello)
(type word welcome)
(type side left)
(type side right)
(type stage deal)
(type stage greet)
(type stage first)
(type stage second)
(type stage ask)
(type stage over)

(after deal greet)
(after greet first)
(after first second)
(after second ask)
(after ask over)

(init (stage deal))

(<= (legal random (deal card:?card))
    (true (stage deal))
    (type card ?card))

(<= (legal host (say word:?word))
    (true (stage greet))
    (type word ?word))

(<= (legal player (turn side:?side))
    turning
    (type side ?side))

(<= turning
    (true (stage first)))

(<= turning
    (true (stage second)))

(<= (legal player (name card:?card))
    (true (stage ask))
    (type card ?card))

(<= (next (stage stage:?next))
    (true (stage ?stage))
    (after ?stage ?next))

; Shown once, and kept where no player sees it.

(<= (next (sees player (card card:?card)))
    (does random (deal ?card)))

(<= (next (sees random (card card:?card)))
    (does random (deal ?card)))

(<= (next (sees random (card card:?card)))
    (true (sees random (card ?card))))

(<= (next (named card:?card))
    (does player (name ?card)))

(<= terminal
    (true (stage over)))

(<= right
    (true (named ?card))
    (true (sees random (card ?card))))

(<= (goal player 100)
    right)

(<= (goal player 0)
    (not right))

(<= (goal host 50)
    (role host))
"""
