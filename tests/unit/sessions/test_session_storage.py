from tabwright.protocol.tab import OriginStorage
from tabwright.sessions.session_tab import ORIGINS_MAX, SessionStorage


def of(name, **items):
    return OriginStorage(f"https://{name}.example", tuple(items.items()))


A, B = of("a", theme="1"), of("b", theme="2")


def test_new_tab_lacks_storage_of_each_origin_until_it_visits_it():
    storage = SessionStorage.of([A, B])
    storage.begin_tab()
    assert storage.lacking == (A, B)
    storage.note(of("a", theme="3"))
    assert storage.lacking == (B,)
    assert storage.kept == (B, of("a", theme="3"))
    storage.begin_tab()
    assert storage.lacking == (B, of("a", theme="3"))


def test_storage_cleared_by_the_page_is_not_restored():
    storage = SessionStorage.of([A])
    storage.begin_tab()
    storage.note(of("a"))
    storage.begin_tab()
    assert storage.kept == storage.lacking == ()


def test_page_without_storage_report_changes_nothing():
    storage = SessionStorage.of([A])
    storage.begin_tab()
    storage.note(None)
    assert storage.kept == storage.lacking == (A,)


def test_storage_keeps_the_most_recently_visited_origins():
    storage = SessionStorage()
    for number in range(ORIGINS_MAX + 3):
        storage.note(of(f"n{number}", theme="1"))
    assert len(storage.kept) == ORIGINS_MAX
    assert storage.kept[0].origin == "https://n3.example"
