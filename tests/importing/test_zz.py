import pytest
from tests.importing.class_world import *
@pytest.fixture
def world(tmp_path, vastplan):
    return ClassWorld(tmp_path, vastplan)
TEAMS={"tenants": {"nlp": team("nlp",1), "cv": team("cv",2)}}
def test_a(world):
    world.lost(TEAMS)
    world.claim("monitoring","prom","nlp"); world.claim("runai-nlp","d1","nlp")
    before=world.may()
    text,report=world.imported()
    open("/tmp/w/i-class/out","w").write(text+"\n"+"\n".join(map(str,[(k,v) for k,v in report.items() if k not in("taken","coverage")]+report["left"])))
    print(world.run("apply","--adopt","--auto-approve")[-600:])
    assert refused_since(before, world.may())==[], refused_since(before, world.may())
    assert any(not v for v in world.may().values())
