"""PC-stable beside causal-learn on the same samples.

The skeletons below were printed by causal-learn 0.1.4.8:

    from causallearn.search.ConstraintBased.PC import pc
    codes = numpy.array(paucal.load_network(network).sample(n, seed=1).columns).T.astype(int)
    found = pc(codes, alpha=0.05, indep_test=test, stable=True, uc_rule=0, node_names=names)
    sorted(sorted((names[i], names[j])) for i, j in zip(*found.G.graph.nonzero()) if i < j)

with "chisq" and "gsq" as tests; ours are `chi2` and `g` with its convention for degrees of freedom, which is our
default. They agree on all pairs. Arrows are not compared: causal-learn writes conflicting colliders into one another
(`uc_priority`) and may return graphs that no DAG has.
"""

from __future__ import annotations

import pytest

import paucal

SKELETONS = {
    ("asia", "chi2"): ("bronc dysp, bronc smoke, either lung"),
    ("asia", "g"): ("bronc dysp, bronc smoke, either lung, either tub"),
    ("child", "chi2"): (
        "Age CardiacMixing, Age Disease, Age Sick, CO2 CO2Report, CO2 LungParench, CardiacMixing Disease, "
        "CardiacMixing HypoxiaInO2, ChestXray LungFlow, ChestXray LungParench, ChestXray XrayReport, Disease "
        "DuctFlow, Disease LVH, Disease LungFlow, Disease LungParench, Disease Sick, DuctFlow HypDistrib, Grunting "
        "GruntingReport, Grunting LungParench, Grunting Sick, HypoxiaInO2 LowerBodyO2, HypoxiaInO2 RUQO2, LVH "
        "LVHreport, LowerBodyO2 RUQO2"
    ),
    ("child", "g"): (
        "Age CardiacMixing, Age Disease, Age Sick, CO2 CO2Report, CO2 LungParench, CardiacMixing Disease, "
        "CardiacMixing HypoxiaInO2, ChestXray LungFlow, ChestXray LungParench, ChestXray XrayReport, Disease "
        "DuctFlow, Disease LVH, Disease LungFlow, Disease LungParench, Disease Sick, DuctFlow HypDistrib, Grunting "
        "GruntingReport, Grunting LungParench, Grunting Sick, HypoxiaInO2 LowerBodyO2, HypoxiaInO2 RUQO2, LVH "
        "LVHreport"
    ),
    ("alarm", "chi2"): (
        "ANAPHYLAXIS TPR, ARTCO2 EXPCO2, ARTCO2 VENTALV, BP CO, BP TPR, CATECHOL HR, CATECHOL SAO2, CATECHOL TPR, "
        "CO HR, CO STROKEVOLUME, CVP LVEDVOLUME, DISCONNECT VENTTUBE, ERRCAUTER HREKG, ERRCAUTER HRSAT, "
        "ERRLOWOUTPUT HRBP, EXPCO2 VENTLUNG, FIO2 PVSAT, HISTORY LVFAILURE, HR HRBP, HR HREKG, HR HRSAT, "
        "HYPOVOLEMIA LVEDVOLUME, HYPOVOLEMIA PULMEMBOLUS, HYPOVOLEMIA STROKEVOLUME, INTUBATION MINVOL, INTUBATION "
        "SHUNT, INTUBATION VENTALV, INTUBATION VENTLUNG, KINKEDTUBE PRESS, LVEDVOLUME LVFAILURE, LVEDVOLUME PCWP, "
        "LVFAILURE STROKEVOLUME, MINVOL VENTLUNG, MINVOLSET VENTMACH, PAP PULMEMBOLUS, PRESS VENTTUBE, PULMEMBOLUS "
        "SHUNT, PVSAT SAO2, PVSAT VENTALV, SAO2 SHUNT, VENTALV VENTLUNG, VENTMACH VENTTUBE"
    ),
    ("alarm", "g"): (
        "ANAPHYLAXIS TPR, ARTCO2 EXPCO2, ARTCO2 VENTALV, BP CO, BP TPR, CATECHOL HR, CATECHOL SAO2, CATECHOL TPR, "
        "CO HR, CO STROKEVOLUME, CVP LVEDVOLUME, DISCONNECT VENTTUBE, ERRCAUTER HREKG, ERRCAUTER HRSAT, "
        "ERRLOWOUTPUT HRBP, EXPCO2 VENTLUNG, FIO2 PVSAT, HISTORY LVFAILURE, HR HRBP, HR HREKG, HR HRSAT, "
        "HYPOVOLEMIA LVEDVOLUME, HYPOVOLEMIA STROKEVOLUME, INTUBATION MINVOL, INTUBATION SHUNT, INTUBATION "
        "VENTALV, INTUBATION VENTLUNG, KINKEDTUBE PRESS, LVEDVOLUME LVFAILURE, LVEDVOLUME PCWP, LVFAILURE "
        "STROKEVOLUME, MINVOLSET VENTMACH, PAP PULMEMBOLUS, PRESS VENTTUBE, PULMEMBOLUS SHUNT, PVSAT SAO2, PVSAT "
        "VENTALV, SAO2 SHUNT, VENTALV VENTLUNG, VENTMACH VENTTUBE"
    ),
    ("insurance", "chi2"): (
        "Accident DrivQuality, Accident OtherCarCost, Accident ThisCarDam, Age GoodStudent, Age SeniorTrain, "
        "Airbag Cushioning, Airbag VehicleYear, AntiTheft HomeBase, AntiTheft RiskAversion, AntiTheft SocioEcon, "
        "Antilock VehicleYear, CarValue MakeModel, CarValue ThisCarCost, CarValue VehicleYear, Cushioning "
        "RuggedAuto, DrivHist DrivingSkill, DrivHist RiskAversion, DrivQuality DrivingSkill, HomeBase "
        "RiskAversion, HomeBase SocioEcon, MakeModel RuggedAuto, MakeModel SocioEcon, OtherCar SocioEcon, "
        "OtherCarCost PropCost, RiskAversion SeniorTrain, ThisCarCost ThisCarDam"
    ),
    ("insurance", "g"): (
        "Accident DrivQuality, Accident OtherCarCost, Accident ThisCarDam, Age GoodStudent, Age SeniorTrain, "
        "Airbag Cushioning, Airbag VehicleYear, AntiTheft HomeBase, AntiTheft RiskAversion, AntiTheft SocioEcon, "
        "Antilock MakeModel, Antilock VehicleYear, CarValue MakeModel, CarValue ThisCarCost, CarValue VehicleYear, "
        "Cushioning RuggedAuto, DrivHist DrivingSkill, DrivHist RiskAversion, DrivQuality DrivingSkill, "
        "DrivQuality RiskAversion, HomeBase RiskAversion, HomeBase SocioEcon, MakeModel RuggedAuto, MakeModel "
        "SocioEcon, OtherCar SocioEcon, OtherCarCost PropCost, RiskAversion SeniorTrain, ThisCarCost ThisCarDam"
    ),
}
ROWS = {"asia": 1000, "child": 1000, "alarm": 1000, "insurance": 500}


@pytest.mark.parametrize(("network", "test"), list(SKELETONS), ids=str)
def test_skeletons_of_causal_learn(network, test):
    data = paucal.load_network(network).sample(ROWS[network], seed=1)
    result = paucal.learn(data, test=test, test_options={"convention": "causal-learn"})
    assert sorted(sorted((e.a, e.b)) for e in result.graph.edges()) == sorted(
        sorted(pair.split()) for pair in SKELETONS[network, test].split(", ")
    )
