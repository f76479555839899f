"""What one browser session holds, and every way in which it changes.

The only user of ``st.session_state``. One ``Session`` with one ``Trace`` lies under one key, apart
from the widgets' own keys, so that a page switch, which discards widgets, loses nothing (``held.py``).
Everything named ``on_…`` is a widget's callback. What a link may hold is written into the address with
each change (``address.py``) and read from it once, when the session begins (``opening.py``).
"""

from pages._ui.session import Offer as Offer
from pages._ui.session import Playing as Playing
from pages._ui.session import Reading as Reading
from pages._ui.session import Session as Session
from pages._ui.session import Show as Show
from pages._ui.session import Source as Source
from pages._ui.session import TableOffer as TableOffer
from pages._ui.session import View as View
from pages._ui.session import Wanted as Wanted
from pages._ui.state.address import follow as follow
from pages._ui.state.address import not_followed as not_followed
from pages._ui.state.changes import on_defaults as on_defaults
from pages._ui.state.changes import on_setting as on_setting
from pages._ui.state.changes import on_settings as on_settings
from pages._ui.state.conversations import OPENING as OPENING
from pages._ui.state.conversations import PASTE as PASTE
from pages._ui.state.conversations import SAMPLE as SAMPLE
from pages._ui.state.conversations import UPLOAD as UPLOAD
from pages._ui.state.conversations import begin_own as begin_own
from pages._ui.state.conversations import choose as choose
from pages._ui.state.conversations import on_as_found as on_as_found
from pages._ui.state.conversations import on_columns as on_columns
from pages._ui.state.conversations import on_offer as on_offer
from pages._ui.state.conversations import on_paste as on_paste
from pages._ui.state.conversations import on_refuse as on_refuse
from pages._ui.state.conversations import on_sample as on_sample
from pages._ui.state.conversations import on_stop_reading as on_stop_reading
from pages._ui.state.conversations import on_upload as on_upload
from pages._ui.state.conversations import take as take
from pages._ui.state.conversations import taken as taken
from pages._ui.state.held import OWN as OWN
from pages._ui.state.held import kept as kept
from pages._ui.state.held import key as key
from pages._ui.state.held import session as session
from pages._ui.state.held import value as value
from pages._ui.state.opening import ready as ready
from pages._ui.state.playing import BEAT_S as BEAT_S
from pages._ui.state.playing import advance as advance
from pages._ui.state.playing import is_ticking as is_ticking
from pages._ui.state.playing import on_pause as on_pause
from pages._ui.state.playing import on_play as on_play
from pages._ui.state.stages import finished as finished
from pages._ui.state.stages import on_back as on_back
from pages._ui.state.stages import on_finish as on_finish
from pages._ui.state.stages import on_reset as on_reset
from pages._ui.state.stages import on_step as on_step
from pages._ui.state.stages import raise_fault as raise_fault
from pages._ui.state.stages import work_ended as work_ended
from pages._ui.state.views import MAP as MAP
from pages._ui.state.views import RESULTS as RESULTS
from pages._ui.state.views import SCORES as SCORES
from pages._ui.state.views import SHOW as SHOW
from pages._ui.state.views import VIEW as VIEW
from pages._ui.state.views import on_claim as on_claim
from pages._ui.state.views import on_point as on_point
from pages._ui.state.views import on_show as on_show
from pages._ui.state.views import on_view as on_view
